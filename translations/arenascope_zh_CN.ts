<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
<context>
    <name>Actions</name>
    <message>
        <source>Collect Answers…</source>
        <translation>收集答案…</translation>
    </message>
    <message>
        <source>Append learners' answers to a CSV file, or stop collecting</source>
        <translation>把学习者的答案追加到 CSV 文件，或停止收集</translation>
    </message>
    <message>
        <source>&amp;File</source>
        <translation>文件(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>编辑(&amp;E)</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>视图(&amp;V)</translation>
    </message>
    <message>
        <source>&amp;Graph</source>
        <translation>计算图(&amp;G)</translation>
    </message>
    <message>
        <source>&amp;Memory</source>
        <translation>内存(&amp;M)</translation>
    </message>
    <message>
        <source>&amp;Run</source>
        <translation>运行(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Compare</source>
        <translation>比较(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Lessons</source>
        <translation>课程(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>帮助(&amp;H)</translation>
    </message>
    <message>
        <source>&amp;Open…</source>
        <translation>打开(&amp;O)…</translation>
    </message>
    <message>
        <source>&amp;Launch and Record…</source>
        <translation>启动并记录(&amp;L)…</translation>
    </message>
    <message>
        <source>Start a program and show its memory, kernels and spans while it runs</source>
        <translation>启动一个程序，在它运行时查看其内存、内核和区间</translation>
    </message>
    <message>
        <source>Open &amp;Built-in Model…</source>
        <translation>打开内置模型(&amp;B)…</translation>
    </message>
    <message>
        <source>Architectures with randomly generated weights, ready to run</source>
        <translation>带随机生成权重、可直接运行的网络结构</translation>
    </message>
    <message>
        <source>Open &amp;Recent</source>
        <translation>最近打开(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Save Recording…</source>
        <translation>保存记录(&amp;S)…</translation>
    </message>
    <message>
        <source>Save &amp;Picture of View…</source>
        <translation>保存视图图片(&amp;P)…</translation>
    </message>
    <message>
        <source>The focused view as PNG, SVG or PDF</source>
        <translation>将有焦点的视图保存为 PNG、SVG 或 PDF</translation>
    </message>
    <message>
        <source>Save &amp;Table as CSV…</source>
        <translation>将表格保存为 CSV(&amp;T)…</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>退出(&amp;Q)</translation>
    </message>
    <message>
        <source>Selection &amp;Back</source>
        <translation>后退到上一选择(&amp;B)</translation>
    </message>
    <message>
        <source>Selection &amp;Forward</source>
        <translation>前进到下一选择(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;Clear Selection</source>
        <translation>清除选择(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Next Match</source>
        <translation>下一个匹配(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Previous Match</source>
        <translation>上一个匹配(&amp;P)</translation>
    </message>
    <message>
        <source>Zoom &amp;In</source>
        <translation>放大(&amp;I)</translation>
    </message>
    <message>
        <source>Zoom &amp;Out</source>
        <translation>缩小(&amp;O)</translation>
    </message>
    <message>
        <source>Move &amp;Left</source>
        <translation>左移(&amp;L)</translation>
    </message>
    <message>
        <source>Move &amp;Right</source>
        <translation>右移(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Frame Selection</source>
        <translation>聚焦所选(&amp;F)</translation>
    </message>
    <message>
        <source>Zoom to the selection</source>
        <translation>缩放到所选内容</translation>
    </message>
    <message>
        <source>Show &amp;All</source>
        <translation>显示全部(&amp;A)</translation>
    </message>
    <message>
        <source>Step ⇄ &amp;Time</source>
        <translation>步 ⇄ 时间(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Panels</source>
        <translation>面板(&amp;P)</translation>
    </message>
    <message>
        <source>Layout: &amp;Graph</source>
        <translation>布局：计算图(&amp;G)</translation>
    </message>
    <message>
        <source>Layout: &amp;Memory</source>
        <translation>布局：内存(&amp;M)</translation>
    </message>
    <message>
        <source>Title &amp;Bars of Panels</source>
        <translation>面板标题栏(&amp;B)</translation>
    </message>
    <message>
        <source>Drag a title bar to move its panel</source>
        <translation>拖动标题栏可移动面板</translation>
    </message>
    <message>
        <source>Light ⇄ &amp;Dark</source>
        <translation>浅色 ⇄ 深色(&amp;D)</translation>
    </message>
    <message>
        <source>Go to &amp;Producer</source>
        <translation>转到生产者(&amp;P)</translation>
    </message>
    <message>
        <source>Go to &amp;User</source>
        <translation>转到使用者(&amp;U)</translation>
    </message>
    <message>
        <source>Repeat for the next user</source>
        <translation>再按一次：下一个使用者</translation>
    </message>
    <message>
        <source>E&amp;xpand All Layers</source>
        <translation>展开所有层(&amp;X)</translation>
    </message>
    <message>
        <source>&amp;Collapse All Layers</source>
        <translation>折叠所有层(&amp;C)</translation>
    </message>
    <message>
        <source>Graph of the File or of the Run</source>
        <translation>文件的图或运行的图(&amp;F)</translation>
    </message>
    <message>
        <source>Switch between the nodes of the model file, with If, Loop and Scan bodies and local functions, and the executed graph</source>
        <translation>在模型文件的节点（包括 If、Loop、Scan 的子图和本地函数）与实际运行的图之间切换</translation>
    </message>
    <message>
        <source>Show &amp;Whole Graph</source>
        <translation>显示整张图(&amp;W)</translation>
    </message>
    <message>
        <source>Colour by &amp;State</source>
        <translation>按状态着色(&amp;S)</translation>
    </message>
    <message>
        <source>Colour by &amp;Op</source>
        <translation>按算子着色(&amp;O)</translation>
    </message>
    <message>
        <source>Colour by Backen&amp;d</source>
        <translation>按后端着色(&amp;D)</translation>
    </message>
    <message>
        <source>Colour by &amp;Time</source>
        <translation>按时间着色(&amp;T)</translation>
    </message>
    <message>
        <source>Colour by &amp;Bytes</source>
        <translation>按字节数着色(&amp;B)</translation>
    </message>
    <message>
        <source>Colour by Bloc&amp;k</source>
        <translation>按内存块着色(&amp;K)</translation>
    </message>
    <message>
        <source>Run every planner with every order; results appear in the Planners table</source>
        <translation>每个规划器配每种执行顺序，结果列入“规划器”表</translation>
    </message>
    <message>
        <source>Show Plan in &amp;Use</source>
        <translation>显示正在使用的规划(&amp;U)</translation>
    </message>
    <message>
        <source>Run with &amp;Shown Plan</source>
        <translation>用所示规划运行(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Cancel Planning</source>
        <translation>取消规划(&amp;C)</translation>
    </message>
    <message>
        <source>Go to the &amp;Peak</source>
        <translation>转到峰值(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Pause</source>
        <translation>暂停(&amp;P)</translation>
    </message>
    <message>
        <source>Pause before the next node</source>
        <translation>在下一个节点之前暂停</translation>
    </message>
    <message>
        <source>&amp;Step a Node</source>
        <translation>单步执行一个节点(&amp;S)</translation>
    </message>
    <message>
        <source>Step into &amp;Threads</source>
        <translation>进入线程(&amp;T)</translation>
    </message>
    <message>
        <source>Run to End of &amp;Layer</source>
        <translation>运行到本层末尾(&amp;L)</translation>
    </message>
    <message>
        <source>St&amp;op</source>
        <translation>停止(&amp;O)</translation>
    </message>
    <message>
        <source>Toggle &amp;Breakpoint</source>
        <translation>切换断点(&amp;B)</translation>
    </message>
    <message>
        <source>Break on an op, a name pattern, a size or NaN</source>
        <translation>在算子、名称模式、字节数或 NaN 上中断</translation>
    </message>
    <message>
        <source>Pl&amp;ay</source>
        <translation>播放(&amp;A)</translation>
    </message>
    <message>
        <source>To the &amp;First Step</source>
        <translation>到第一步(&amp;F)</translation>
    </message>
    <message>
        <source>Step For&amp;ward</source>
        <translation>前进一步(&amp;W)</translation>
    </message>
    <message>
        <source>Compare with the &amp;Current State</source>
        <translation>与当前状态比较(&amp;C)</translation>
    </message>
    <message>
        <source>Compare the following runs with the runs so far</source>
        <translation>将此后的运行与此前的运行比较</translation>
    </message>
    <message>
        <source>&amp;Stop Comparing</source>
        <translation>停止比较(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Command Palette…</source>
        <translation>命令面板(&amp;C)…</translation>
    </message>
    <message>
        <source>&amp;Keys…</source>
        <translation>快捷键(&amp;K)…</translation>
    </message>
    <message>
        <source>&amp;About Arenascope</source>
        <translation>关于 Arenascope(&amp;A)</translation>
    </message>
    <message>
        <source>&amp;Close</source>
        <translation>关闭(&amp;C)</translation>
    </message>
    <message>
        <source>Close the current file</source>
        <translation>关闭当前文件</translation>
    </message>
    <message>
        <source>Ne&amp;xt File</source>
        <translation>下一个文件(&amp;X)</translation>
    </message>
    <message>
        <source>Pre&amp;vious File</source>
        <translation>上一个文件(&amp;V)</translation>
    </message>
    <message>
        <source>Recover a Recor&amp;ding</source>
        <translation>恢复记录(&amp;D)</translation>
    </message>
    <message>
        <source>Save in Another For&amp;mat…</source>
        <translation>另存为其他格式(&amp;M)…</translation>
    </message>
    <message>
        <source>The data of the focused view</source>
        <translation>有焦点的视图所显示的数据</translation>
    </message>
    <message>
        <source>&amp;Undo View</source>
        <translation>撤销视图更改(&amp;U)</translation>
    </message>
    <message>
        <source>Restore the previous range, layers, colours, plan and panels</source>
        <translation>恢复之前的范围、层、颜色、规划和面板</translation>
    </message>
    <message>
        <source>&amp;Redo View</source>
        <translation>重做视图更改(&amp;R)</translation>
    </message>
    <message>
        <source>Copy N&amp;ame</source>
        <translation>复制名称(&amp;A)</translation>
    </message>
    <message>
        <source>Copy P&amp;icture of View</source>
        <translation>复制视图图片(&amp;I)</translation>
    </message>
    <message>
        <source>Copy &amp;Table of View</source>
        <translation>复制视图表格(&amp;T)</translation>
    </message>
    <message>
        <source>Pr&amp;eferences…</source>
        <translation>首选项(&amp;E)…</translation>
    </message>
    <message>
        <source>Table Next to the Vie&amp;w</source>
        <translation>视图旁的表格(&amp;W)</translation>
    </message>
    <message>
        <source>The data of the view as a table to sort, filter and read aloud</source>
        <translation>以表格显示视图的数据，可排序、筛选和朗读</translation>
    </message>
    <message>
        <source>Layout: E&amp;verything</source>
        <translation>布局：全部(&amp;V)</translation>
    </message>
    <message>
        <source>Layout: Tim&amp;e</source>
        <translation>布局：时间(&amp;E)</translation>
    </message>
    <message>
        <source>Reset Layo&amp;ut</source>
        <translation>重置布局(&amp;U)</translation>
    </message>
    <message>
        <source>&amp;Save Layout As…</source>
        <translation>布局另存为(&amp;S)…</translation>
    </message>
    <message>
        <source>M&amp;y Layouts</source>
        <translation>我的布局(&amp;Y)</translation>
    </message>
    <message>
        <source>Open or Close &amp;Layer</source>
        <translation>打开或关闭层(&amp;L)</translation>
    </message>
    <message>
        <source>Sa&amp;ve as DOT…</source>
        <translation>另存为 DOT(&amp;V)…</translation>
    </message>
    <message>
        <source>Run the model repeatedly; in a recording, continue to the next breakpoint</source>
        <translation>反复运行模型；在记录中前进到下一个断点</translation>
    </message>
    <message>
        <source>Run Bac&amp;kwards</source>
        <translation>反向运行(&amp;K)</translation>
    </message>
    <message>
        <source>In a recording, go back to the previous breakpoint</source>
        <translation>在记录中回到上一个断点</translation>
    </message>
    <message>
        <source>Go to the next chunk or wait of a thread within the node</source>
        <translation>转到节点内部某线程的下一个分块或等待</translation>
    </message>
    <message>
        <source>Step Back in T&amp;hreads</source>
        <translation>在线程中后退(&amp;H)</translation>
    </message>
    <message>
        <source>Previous Run</source>
        <translation>上一次运行</translation>
    </message>
    <message>
        <source>If a recording has several runs, views show one of them</source>
        <translation>记录含有多次运行时，各视图一次显示一次运行</translation>
    </message>
    <message>
        <source>Next Run</source>
        <translation>下一次运行</translation>
    </message>
    <message>
        <source>At the newest run: follow new runs as they arrive</source>
        <translation>位于最新一次运行时：跟随新到的运行</translation>
    </message>
    <message>
        <source>Run to Selected &amp;Node</source>
        <translation>运行到所选节点(&amp;N)</translation>
    </message>
    <message>
        <source>Set or remove a breakpoint on the selected node</source>
        <translation>在所选节点上设置或移除断点</translation>
    </message>
    <message>
        <source>Breakpo&amp;ints…</source>
        <translation>断点(&amp;I)…</translation>
    </message>
    <message>
        <source>Play the recording step by step up to the next breakpoint</source>
        <translation>逐步播放记录，直到下一个断点</translation>
    </message>
    <message>
        <source>Play Ba&amp;ckwards</source>
        <translation>反向播放(&amp;C)</translation>
    </message>
    <message>
        <source>Step Back</source>
        <translation>后退一步</translation>
    </message>
    <message>
        <source>N&amp;ext Peak</source>
        <translation>下一个峰值(&amp;E)</translation>
    </message>
    <message>
        <source>&amp;Manual</source>
        <translation>手册(&amp;M)</translation>
    </message>
    <message>
        <source>Show &amp;Frame Times</source>
        <translation>显示帧时间(&amp;F)</translation>
    </message>
    <message>
        <source>Frames per second and the longest time the window was busy</source>
        <translation>每秒帧数，以及窗口最长忙碌时间</translation>
    </message>
    <message>
        <source>Layout: Lesso&amp;n</source>
        <translation>布局：课程(&amp;L)</translation>
    </message>
    <message>
        <source>Re-pl&amp;an</source>
        <translation>重新规划(&amp;A)</translation>
    </message>
    <message>
        <source>Plan with the settings of the Planners panel and overlay the result on the current plan</source>
        <translation>按“规划器”面板的设置规划，并与当前规划叠加显示</translation>
    </message>
    <message>
        <source>Run A&amp;ll Planners</source>
        <translation>运行全部规划器(&amp;L)</translation>
    </message>
    <message>
        <source>Accept &amp;Best So Far</source>
        <translation>采用目前最佳(&amp;B)</translation>
    </message>
    <message>
        <source>Stop the search and use the smallest plan found</source>
        <translation>停止搜索，采用已找到的最小规划</translation>
    </message>
    <message>
        <source>&amp;Fit Under…</source>
        <translation>不超过…(&amp;F)</translation>
    </message>
    <message>
        <source>Memory limit for a plan, shown as a draggable line in the occupancy</source>
        <translation>规划的内存上限，在占用视图中显示为可拖动的线</translation>
    </message>
    <message>
        <source>&amp;Remove Limit</source>
        <translation>移除上限(&amp;R)</translation>
    </message>
    <message>
        <source>Hide the overlay of the previous plan</source>
        <translation>不再叠加显示旧规划</translation>
    </message>
    <message>
        <source>&amp;Export Shown Plan…</source>
        <translation>导出所示规划(&amp;E)…</translation>
    </message>
    <message>
        <source>Offsets and lifetimes as JSON or CSV, for another runtime</source>
        <translation>以 JSON 或 CSV 写出偏移和生命周期，供其他运行时使用</translation>
    </message>
    <message>
        <source>Find Sa&amp;vings</source>
        <translation>查找可节省之处(&amp;V)</translation>
    </message>
    <message>
        <source>Possible improvements, each measured by re-planning</source>
        <translation>可能的改进，每项都由重新规划量得</translation>
    </message>
    <message>
        <source>Compare with &amp;File…</source>
        <translation>与文件比较…(&amp;F)</translation>
    </message>
    <message>
        <source>A recording, or a model with its plan</source>
        <translation>一个记录，或一个模型及其规划</translation>
    </message>
    <message>
        <source>Compare with the Next &amp;Tab</source>
        <translation>与下一个标签页比较(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Input Shapes…</source>
        <translation>输入形状(&amp;I)…</translation>
    </message>
    <message>
        <source>Dimensions the model leaves unspecified, such as the batch size</source>
        <translation>模型未指定的维度，例如批大小</translation>
    </message>
    <message>
        <source>Select from &amp;Here</source>
        <translation>从这里开始选择(&amp;H)</translation>
    </message>
    <message>
        <source>Start the range at the playhead, or at the selected span in a trace without steps; the inspector summarises the range</source>
        <translation>在播放头处开始范围，没有步的跟踪则在所选区间处；检查器汇总该范围</translation>
    </message>
    <message>
        <source>Second mark at the playhead or the selected span</source>
        <translation>第二个标记，位于播放头或所选区间</translation>
    </message>
    <message>
        <source>Sort by the current column; repeat to reverse</source>
        <translation>按当前列排序；再按一次则反向</translation>
    </message>
    <message>
        <source>Search nodes by op and name; if the timeline is active or there is no graph, search its spans</source>
        <translation>按算子和名称搜索节点；时间线为当前视图或没有计算图时，搜索其区间</translation>
    </message>
    <message>
        <source>P&amp;ause Playing</source>
        <translation>暂停播放(&amp;A)</translation>
    </message>
    <message>
        <source>Pause at this step; Play continues from here</source>
        <translation>停在这一步；播放会从这里继续</translation>
    </message>
    <message>
        <source>Colour by the Next Colu&amp;mn</source>
        <translation>按下一列着色(&amp;M)</translation>
    </message>
    <message>
        <source>Colour by the next column of the Nodes table; the list above the graph has all of them</source>
        <translation>按节点表的下一列着色；计算图上方的列表里有全部</translation>
    </message>
    <message>
        <source>S&amp;hapes on All Edges</source>
        <translation>在所有边上显示形状(&amp;H)</translation>
    </message>
    <message>
        <source>Where space permits; selected edges always show their shape</source>
        <translation>有空位时显示；选中的边总会显示形状</translation>
    </message>
    <message>
        <source>Colour by Di&amp;fference of B</source>
        <translation>按与 B 的差异着色(&amp;F)</translation>
    </message>
    <message>
        <source>Sele&amp;ct up to Here</source>
        <translation>选择到这里为止(&amp;C)</translation>
    </message>
    <message>
        <source>Sort Table by Column</source>
        <translation>按列排序表格</translation>
    </message>
    <message>
        <source>Go to Panel</source>
        <translation>转到面板</translation>
    </message>
    <message>
        <source>&amp;1  A tensor and its bytes</source>
        <translation>&amp;1  张量与它的字节</translation>
    </message>
    <message>
        <source>&amp;2  Quantised blocks</source>
        <translation>&amp;2  量化块</translation>
    </message>
    <message>
        <source>&amp;3  The pool of objects</source>
        <translation>&amp;3  对象池</translation>
    </message>
    <message>
        <source>&amp;4  How a graph is built</source>
        <translation>&amp;4  图是怎样建成的</translation>
    </message>
    <message>
        <source>&amp;5  One matmul</source>
        <translation>&amp;5  一次矩阵乘</translation>
    </message>
    <message>
        <source>&amp;6  Threads and barriers</source>
        <translation>&amp;6  线程与屏障</translation>
    </message>
    <message>
        <source>&amp;7  Lifetimes and the arena</source>
        <translation>&amp;7  生命周期与内存区</translation>
    </message>
    <message>
        <source>&amp;8  Reuse in two levels</source>
        <translation>&amp;8  两级复用</translation>
    </message>
    <message>
        <source>&amp;9  The order decides the bound</source>
        <translation>&amp;9  顺序决定下界</translation>
    </message>
    <message>
        <source>1&amp;0  Allocators</source>
        <translation>1&amp;0  分配器</translation>
    </message>
    <message>
        <source>11  &amp;Pools of a device</source>
        <translation>11  设备的内存池(&amp;P)</translation>
    </message>
    <message>
        <source>12  Two &amp;devices</source>
        <translation>12  两个设备(&amp;D)</translation>
    </message>
    <message>
        <source>13  &amp;Training</source>
        <translation>13  训练(&amp;T)</translation>
    </message>
    <message>
        <source>14  &amp;Rematerialising and offloading</source>
        <translation>14  重计算与换出(&amp;R)</translation>
    </message>
    <message>
        <source>15  The &amp;KV cache</source>
        <translation>15  KV 缓存(&amp;K)</translation>
    </message>
    <message>
        <source>16  Find the &amp;fault</source>
        <translation>16  找出毛病(&amp;F)</translation>
    </message>
    <message>
        <source>Next Lesson Step</source>
        <translation>课程的下一步</translation>
    </message>
    <message>
        <source>Page Down is also sent by presentation remotes</source>
        <translation>演示遥控器也发送 Page Down</translation>
    </message>
    <message>
        <source>Previous Lesson Step</source>
        <translation>课程的上一步</translation>
    </message>
    <message>
        <source>Large Text for Presentation</source>
        <translation>演示用大字</translation>
    </message>
    <message>
        <source>Restart Lesson</source>
        <translation>重新开始本课</translation>
    </message>
    <message>
        <source>Play Lesson File…</source>
        <translation>播放课程文件…</translation>
    </message>
    <message>
        <source>New Lesson from This Recording…</source>
        <translation>由此记录新建…</translation>
    </message>
    <message>
        <source>Draft of a lesson about the current document</source>
        <translation>关于当前文档的课程草稿</translation>
    </message>
    <message>
        <source>Export Lesson…</source>
        <translation>导出本课…</translation>
    </message>
    <message>
        <source>An interactive web page, or a PDF with screenshots</source>
        <translation>交互式网页，或带截图的 PDF</translation>
    </message>
    <message>
        <source>Next Arena &amp;Map Colouring</source>
        <translation>内存区地图换下一种着色(&amp;M)</translation>
    </message>
    <message>
        <source>Kind, op, layer, age, size, time; also in the context menu of the map</source>
        <translation>种类、算子、层、存活时长、大小、时间；也可在地图的右键菜单中选择</translation>
    </message>
    <message>
        <source>Pin a Note Here…</source>
        <translation>在此固定注释…</translation>
    </message>
    <message>
        <source>Open for Plannin&amp;g Only…</source>
        <translation>仅为规划而打开(&amp;G)…</translation>
    </message>
    <message>
        <source>Open the graph and its memory plans without loading weights or running</source>
        <translation>只打开计算图及其内存规划，不加载权重，也不运行</translation>
    </message>
    <message>
        <source>Message &amp;Log…</source>
        <translation>消息日志(&amp;L)…</translation>
    </message>
    <message>
        <source>Layout: Plan</source>
        <translation>布局：规划</translation>
    </message>
    <message>
        <source>&amp;Search Everything</source>
        <translation>搜索全部(&amp;S)</translation>
    </message>
    <message>
        <source>Search nodes, tensors, spans, allocations, stack frames and messages by name, regular expression, size or time</source>
        <translation>按名称、正则表达式、大小或时间搜索节点、张量、区间、分配、栈帧和消息</translation>
    </message>
    <message>
        <source>Search &amp;View</source>
        <translation>搜索视图(&amp;V)</translation>
    </message>
    <message>
        <source>&amp;Query with SQL</source>
        <translation>用 SQL 查询(&amp;Q)</translation>
    </message>
    <message>
        <source>Query the tables of the document with SQL; a result row selects its item in all views</source>
        <translation>用 SQL 查询文档的表；结果的每一行在所有视图中选择对应项</translation>
    </message>
    <message>
        <source>Copy Table as &amp;Markdown</source>
        <translation>将表格复制为 Markdown(&amp;M)</translation>
    </message>
    <message>
        <source>Layout by Graphvi&amp;z (dot)</source>
        <translation>用 Graphviz (dot) 布局(&amp;Z)</translation>
    </message>
    <message>
        <source>By the installed program dot, which may take long for large graphs; otherwise the built-in layout</source>
        <translation>使用已安装的 dot 程序，大图可能耗时较长；否则使用内置布局</translation>
    </message>
    <message>
        <source>As DOT, or as SVG or PDF by the installed program dot</source>
        <translation>保存为 DOT，或由已安装的 dot 程序生成 SVG 或 PDF</translation>
    </message>
    <message>
        <source>Runs on the &amp;X Axis</source>
        <translation>x 轴显示各次运行(&amp;X)</translation>
    </message>
    <message>
        <source>The whole recording, each run, token or training step equally wide</source>
        <translation>整个记录，每次运行、词元 (token) 或训练步等宽</translation>
    </message>
    <message>
        <source>At the playhead or for the selected range; saved for this file and in its recording</source>
        <translation>位于播放位置或用于所选范围；为此文件保存，并随记录保存</translation>
    </message>
</context>
<context>
    <name>Docks</name>
    <message>
        <source>Byte Lens</source>
        <translation>字节透镜</translation>
    </message>
    <message>
        <source>Graph</source>
        <translation>计算图</translation>
    </message>
    <message>
        <source>Inspector</source>
        <translation>检查器</translation>
    </message>
    <message>
        <source>Occupancy</source>
        <translation>占用</translation>
    </message>
    <message>
        <source>Arena Map</source>
        <translation>内存区地图</translation>
    </message>
    <message>
        <source>Lifetimes</source>
        <translation>生命周期</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>时间线</translation>
    </message>
    <message>
        <source>Nodes</source>
        <translation>节点</translation>
    </message>
    <message>
        <source>Blocks</source>
        <translation>内存块</translation>
    </message>
    <message>
        <source>Objects</source>
        <translation>对象</translation>
    </message>
    <message>
        <source>Barriers</source>
        <translation>屏障</translation>
    </message>
    <message>
        <source>Allocators</source>
        <translation>分配器</translation>
    </message>
    <message>
        <source>Pools</source>
        <translation>内存池</translation>
    </message>
    <message>
        <source>Planners</source>
        <translation>规划器</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>比较</translation>
    </message>
    <message>
        <source>Problems</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>Breakpoints</source>
        <translation>断点</translation>
    </message>
    <message>
        <source>Holes</source>
        <translation>空洞</translation>
    </message>
    <message>
        <source>Findings</source>
        <translation>优化建议</translation>
    </message>
    <message>
        <source>Lesson</source>
        <translation>课程</translation>
    </message>
    <message>
        <source>Tuning</source>
        <translation>调优</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>文本</translation>
    </message>
    <message>
        <source>Training</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>Run Settings</source>
        <translation>运行设置</translation>
    </message>
    <message>
        <source>Reuse Steps</source>
        <translation>复用步骤</translation>
    </message>
    <message>
        <source>Order Moves</source>
        <translation>执行顺序移动</translation>
    </message>
    <message>
        <source>Counters</source>
        <translation>计数器</translation>
    </message>
    <message>
        <source>Ops</source>
        <translation>算子</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>层</translation>
    </message>
    <message>
        <source>Allocator Laboratory</source>
        <translation>分配器实验室</translation>
    </message>
    <message>
        <source>Call Sites</source>
        <translation>调用点</translation>
    </message>
    <message>
        <source>Flame Graph</source>
        <translation>火焰图</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>搜索</translation>
    </message>
    <message>
        <source>Query</source>
        <translation>查询</translation>
    </message>
    <message>
        <source>Spans</source>
        <translation>区间</translation>
    </message>
    <message>
        <source>Roofline</source>
        <translation>Roofline 模型</translation>
    </message>
    <message>
        <source>Durations</source>
        <translation>时长分布</translation>
    </message>
    <message>
        <source>Notes</source>
        <translation>注释</translation>
    </message>
</context>
<context>
    <name>EngineError</name>
    <message>
        <source>a 64-bit integer</source>
        <translation>64 位整数</translation>
    </message>
    <message>
        <source>a positive integer</source>
        <translation>正整数</translation>
    </message>
    <message>
        <source>expected an integer from %1 to %2, found &apos;%3&apos;</source>
        <translation>应为 %1 到 %2 的整数，实际为“%3”</translation>
    </message>
    <message>
        <source>expected a number from %1 to %2, found &apos;%3&apos;</source>
        <translation>应为 %1 到 %2 的数，实际为“%3”</translation>
    </message>
    <message>
        <source>expected &apos;on&apos; or &apos;off&apos;, found &apos;%1&apos;</source>
        <translation>应为“on”或“off”，实际为“%1”</translation>
    </message>
    <message>
        <source>expected one of %1, found &apos;%2&apos;</source>
        <translation>应为 %1 之一，实际为“%2”</translation>
    </message>
    <message>
        <source>expected NAME=VALUE, found &apos;%1&apos;</source>
        <translation>应为 NAME=VALUE，实际为“%1”</translation>
    </message>
    <message>
        <source>expected NAME=N with an integer N, found &apos;%1&apos;</source>
        <translation>应为 NAME=N（N 为整数），实际为“%1”</translation>
    </message>
    <message>
        <source>expected NAME=N,N,… with integers, found &apos;%1&apos;</source>
        <translation>应为 NAME=N,N,…（整数），实际为“%1”</translation>
    </message>
    <message>
        <source>expected NAME=FILE, found &apos;%1&apos;</source>
        <translation>应为 NAME=FILE，实际为“%1”</translation>
    </message>
    <message>
        <source>expected high, normal or low, found &apos;%1&apos;</source>
        <translation>应为 high、normal 或 low，实际为“%1”</translation>
    </message>
    <message>
        <source>expected time or memory, found &apos;%1&apos;</source>
        <translation>应为 time 或 memory，实际为“%1”</translation>
    </message>
    <message>
        <source>expected seconds from 0 to 1000000, found &apos;%1&apos;</source>
        <translation>应为 0 到 1000000 的秒数，实际为“%1”</translation>
    </message>
    <message>
        <source>expected a number, found &apos;%1&apos;</source>
        <translation>应为数，实际为“%1”</translation>
    </message>
    <message>
        <source>unknown option &apos;%1%2&apos;</source>
        <translation>未知选项“%1%2”</translation>
    </message>
    <message>
        <source>unknown backend &apos;%1&apos;; available:%2</source>
        <translation>未知后端“%1”；可用：%2</translation>
    </message>
    <message>
        <source>unknown backend &apos;%1&apos;: expected one of%2</source>
        <translation>未知后端“%1”：应为以下之一：%2</translation>
    </message>
    <message>
        <source>unknown planner &apos;%1&apos;; available:%2</source>
        <translation>未知规划器“%1”；可用：%2</translation>
    </message>
    <message>
        <source>unknown order &apos;%1&apos;; available:%2</source>
        <translation>未知执行顺序“%1”；可用：%2</translation>
    </message>
    <message>
        <source>unknown allocator &apos;%1&apos;; available: caching, power-of-two, plain</source>
        <translation>未知分配器“%1”；可用：caching、power-of-two、plain</translation>
    </message>
    <message>
        <source>unknown memory strategy &apos;%1&apos;; available: planned, eager, none</source>
        <translation>未知内存策略“%1”；可用：planned、eager、none</translation>
    </message>
    <message>
        <source>unknown op &apos;%1&apos;</source>
        <translation>未知算子“%1”</translation>
    </message>
    <message>
        <source>unknown adapter &apos;%1&apos;; available: %2, %3</source>
        <translation>未知适配器“%1”；可用：%2、%3</translation>
    </message>
    <message>
        <source>unknown space &apos;%1&apos;; available: %2</source>
        <translation>未知空间“%1”；可用：%2</translation>
    </message>
    <message>
        <source>unknown query &apos;%1&apos;; available:%2</source>
        <translation>未知查询“%1”；可用：%2</translation>
    </message>
    <message>
        <source>%1 is not a power of two</source>
        <translation>%1 不是 2 的幂</translation>
    </message>
    <message>
        <source>%1 is negative</source>
        <translation>%1 是负数</translation>
    </message>
    <message>
        <source>adapter &apos;%1&apos; not found: it was not built or not installed</source>
        <translation>未找到适配器“%1”：它未构建或未安装</translation>
    </message>
    <message>
        <source>&apos;%1&apos; has no host; expected ssh:HOST or ssh:USER@HOST</source>
        <translation>“%1”中没有主机；应为 ssh:HOST 或 ssh:USER@HOST</translation>
    </message>
    <message>
        <source>no program given</source>
        <translation>未指定程序</translation>
    </message>
    <message>
        <source>%1: cannot be started: %2</source>
        <translation>%1：无法启动：%2</translation>
    </message>
    <message>
        <source>%1 cannot be started: %2</source>
        <translation>%1 无法启动：%2</translation>
    </message>
    <message>
        <source>cannot start ssh: %1</source>
        <translation>无法启动 ssh：%1</translation>
    </message>
    <message>
        <source>%1: cannot copy %2 to %3</source>
        <translation>%1：无法把 %2 复制到 %3</translation>
    </message>
    <message>
        <source>the file became shorter while it was read</source>
        <translation>读取期间文件变短</translation>
    </message>
    <message>
        <source>%1: the file cannot be read</source>
        <translation>%1：无法读取文件</translation>
    </message>
    <message>
        <source>%1 is not a directory</source>
        <translation>%1 不是目录</translation>
    </message>
    <message>
        <source>%1 is not a regular file</source>
        <translation>%1 不是普通文件</translation>
    </message>
    <message>
        <source>%1 had %2 bytes when it was opened and has %3 now</source>
        <translation>%1 打开时有 %2 字节，现在有 %3 字节</translation>
    </message>
    <message>
        <source>%1 was written to after it was opened</source>
        <translation>%1 在打开之后被写入</translation>
    </message>
    <message>
        <source>%1: a part of the file could not be read</source>
        <translation>%1：文件的一部分无法读取</translation>
    </message>
    <message>
        <source>%1 does not exist</source>
        <translation>%1 不存在</translation>
    </message>
    <message>
        <source>%1 contains no model.onnx</source>
        <translation>%1 中没有 model.onnx</translation>
    </message>
    <message>
        <source>%1: out of memory while opening the model</source>
        <translation>%1：打开模型时内存不足</translation>
    </message>
    <message>
        <source>%1: training steps are available for zoo models only</source>
        <translation>%1：只有内置模型 (zoo) 有训练步</translation>
    </message>
    <message>
        <source>no model specified: expected a .onnx, .gguf or .safetensors file, a directory with a model.onnx, or zoo:NAME</source>
        <translation>未指定模型：应为 .onnx、.gguf 或 .safetensors 文件、含 model.onnx 的目录，或 zoo:NAME</translation>
    </message>
    <message>
        <source>the zoo has no &apos;%1&apos;; it has %2</source>
        <translation>内置模型中没有“%1”；有：%2</translation>
    </message>
    <message>
        <source>zoo:%1 has no training step; %2</source>
        <translation>zoo:%1 没有训练步；%2</translation>
    </message>
    <message>
        <source>zoo:bert_base: %1 tokens exceed the maximum of 512</source>
        <translation>zoo:bert_base：%1 个词元超过上限 512</translation>
    </message>
    <message>
        <source>not a GGUF file</source>
        <translation>不是 GGUF 文件</translation>
    </message>
    <message>
        <source>the file ends inside its header</source>
        <translation>文件在文件头内结束</translation>
    </message>
    <message>
        <source>it is a big-endian GGUF file; little-endian files are supported</source>
        <translation>这是大端序的 GGUF 文件；仅支持小端序文件</translation>
    </message>
    <message>
        <source>it is file %1 of %2 of a split model; merge them with &apos;llama-gguf-split --merge&apos;</source>
        <translation>这是拆分模型的第 %1 个文件（共 %2 个）；请用 &apos;llama-gguf-split --merge&apos; 合并</translation>
    </message>
    <message>
        <source>its GGUF version is %1: 2 and 3 are supported (little endian)</source>
        <translation>其 GGUF 版本为 %1：支持 2 和 3（小端）</translation>
    </message>
    <message>
        <source>it claims %1 metadata entries in %2 bytes</source>
        <translation>它声称在 %2 字节中有 %1 个元数据项</translation>
    </message>
    <message>
        <source>it claims %1 tensors in %2 bytes</source>
        <translation>它声称在 %2 字节中有 %1 个张量</translation>
    </message>
    <message>
        <source>it ends before its tensors&apos; data begins</source>
        <translation>文件在张量数据开始之前结束</translation>
    </message>
    <message>
        <source>general.alignment must be a power of two</source>
        <translation>general.alignment 必须是 2 的幂</translation>
    </message>
    <message>
        <source>the table of tensors ends at tensor %1 of %2</source>
        <translation>张量表在第 %1 个张量（共 %2 个）处结束</translation>
    </message>
    <message>
        <source>the tensor &apos;%1&apos; is duplicated</source>
        <translation>张量“%1”重复</translation>
    </message>
    <message>
        <source>the tensor &apos;%1&apos; has %2 dimensions: at most 4 are supported</source>
        <translation>张量“%1”有 %2 维：最多支持 4 维</translation>
    </message>
    <message>
        <source>the tensor &apos;%1&apos; has type %2, which is not a ggml type</source>
        <translation>张量“%1”的类型 %2 不是 ggml 类型</translation>
    </message>
    <message>
        <source>the tensor &apos;%1&apos; needs %2 bytes at %3, the file has %4 of data</source>
        <translation>张量“%1”需要 %3 处的 %2 字节，文件只有 %4 字节数据</translation>
    </message>
    <message>
        <source>the tensor &apos;%1&apos; shares bytes with another</source>
        <translation>张量“%1”与另一个张量共用字节</translation>
    </message>
    <message>
        <source>the tensor &apos;%1&apos;: %2</source>
        <translation>张量“%1”：%2</translation>
    </message>
    <message>
        <source>the metadata entry &apos;%1&apos; is duplicated or has no name</source>
        <translation>元数据项“%1”重复或没有名称</translation>
    </message>
    <message>
        <source>&apos;%1&apos; extends past the end of the file</source>
        <translation>“%1”超出文件末尾</translation>
    </message>
    <message>
        <source>the value of &apos;%1&apos; extends past the end of the file</source>
        <translation>“%1”的值超出文件末尾</translation>
    </message>
    <message>
        <source>&apos;%1&apos; declares %2 numbers, more than the file contains</source>
        <translation>“%1”声明 %2 个数，多于文件所含</translation>
    </message>
    <message>
        <source>&apos;%1&apos; declares %2 strings, more than the file contains</source>
        <translation>“%1”声明 %2 个字符串，多于文件所含</translation>
    </message>
    <message>
        <source>its architecture &apos;%1&apos; is not supported</source>
        <translation>不支持其架构“%1”</translation>
    </message>
    <message>
        <source>missing tensor &apos;%1&apos;</source>
        <translation>缺少张量“%1”</translation>
    </message>
    <message>
        <source>tensor &apos;%1&apos; has shape %2, expected %3</source>
        <translation>张量“%1”的形状为 %2，应为 %3</translation>
    </message>
    <message>
        <source>it has no &apos;%1&apos;</source>
        <translation>它没有“%1”</translation>
    </message>
    <message>
        <source>it ends within the length of its table</source>
        <translation>文件在表长度字段内结束</translation>
    </message>
    <message>
        <source>it claims a table of %1 bytes in a file of %2</source>
        <translation>它声称表有 %1 字节，而文件只有 %2 字节</translation>
    </message>
    <message>
        <source>its table does not begin with &apos;{&apos;: not a safetensors file</source>
        <translation>其表不以“{”开头：不是 safetensors 文件</translation>
    </message>
    <message>
        <source>its tensors cover %1 of %2 bytes</source>
        <translation>其张量覆盖 %2 字节中的 %1 字节</translation>
    </message>
    <message>
        <source>byte %1 of its table: %2</source>
        <translation>其表的第 %1 字节：%2</translation>
    </message>
    <message>
        <source>&apos;%1&apos; is of type &apos;%2&apos;, which is not supported</source>
        <translation>“%1”的类型“%2”不受支持</translation>
    </message>
    <message>
        <source>it is not a .npy file</source>
        <translation>不是 .npy 文件</translation>
    </message>
    <message>
        <source>its .npy version is %1: 1 to 3 are supported</source>
        <translation>其 .npy 版本为 %1：支持 1 到 3</translation>
    </message>
    <message>
        <source>its type &apos;%1&apos; is not supported</source>
        <translation>不支持其类型“%1”</translation>
    </message>
    <message>
        <source>it is empty</source>
        <translation>文件为空</translation>
    </message>
    <message>
        <source>it has no ONNX graph</source>
        <translation>其中没有 ONNX 图</translation>
    </message>
    <message>
        <source>its graph has no outputs</source>
        <translation>其图没有输出</translation>
    </message>
    <message>
        <source>it is damaged or no ONNX: protobuf stops at byte %1 of %2</source>
        <translation>文件已损坏或不是 ONNX：protobuf 在第 %1 字节（共 %2 字节）处停止</translation>
    </message>
    <message>
        <source>it is damaged or no ONNX: messages are nested deeper than %1</source>
        <translation>文件已损坏或不是 ONNX：消息嵌套深度超过 %1</translation>
    </message>
    <message>
        <source>the input &apos;%1&apos; is duplicated</source>
        <translation>输入“%1”重复</translation>
    </message>
    <message>
        <source>the weight &apos;%1&apos; is duplicated</source>
        <translation>权重“%1”重复</translation>
    </message>
    <message>
        <source>%1 reads &apos;%2&apos;, which nothing writes</source>
        <translation>%1 读取“%2”，但没有节点写入它</translation>
    </message>
    <message>
        <source>the output &apos;%1&apos; is written by nothing</source>
        <translation>没有节点写入输出“%1”</translation>
    </message>
    <message>
        <source>%1 depends on its own result: the graph has a cycle</source>
        <translation>%1 依赖自己的结果：图中有环</translation>
    </message>
    <message>
        <source>its external data &apos;%1&apos; is an absolute path</source>
        <translation>其外部数据“%1”是绝对路径</translation>
    </message>
    <message>
        <source>its external data &apos;%1&apos; leaves the model&apos;s folder</source>
        <translation>其外部数据“%1”在模型文件夹之外</translation>
    </message>
    <message>
        <source>its external data &apos;%1&apos; cannot be read: %2</source>
        <translation>无法读取其外部数据“%1”：%2</translation>
    </message>
    <message>
        <source>its external data has %1 bytes, its shape needs %2</source>
        <translation>其外部数据有 %1 字节，其形状需要 %2 字节</translation>
    </message>
    <message>
        <source>%1 has no data: %2</source>
        <translation>%1 没有数据：%2</translation>
    </message>
    <message>
        <source>%1 has %2 bytes of data, its shape %3 of %4 needs %5</source>
        <translation>%1 有 %2 字节数据，其形状 %3 (%4) 需要 %5 字节</translation>
    </message>
    <message>
        <source>input %1 is missing</source>
        <translation>缺少输入 %1</translation>
    </message>
    <message>
        <source>shapes do not broadcast</source>
        <translation>形状不能广播</translation>
    </message>
    <message>
        <source>shapes %1 and %2 do not broadcast: %3 against %4 in dimension -%5</source>
        <translation>形状 %1 与 %2 不能广播：第 -%5 维为 %3 对 %4</translation>
    </message>
    <message>
        <source>shape %1 has the negative size %2</source>
        <translation>形状 %1 含负的大小 %2</translation>
    </message>
    <message>
        <source>shape %1 has more than 2^63-1 elements</source>
        <translation>形状 %1 的元素超过 2^63-1 个</translation>
    </message>
    <message>
        <source>dimension %1 is specified as %2 and %3</source>
        <translation>维度 %1 被指定为 %2 和 %3</translation>
    </message>
    <message>
        <source>there is no input &apos;%1&apos; to have a shape</source>
        <translation>没有名为“%1”的输入可以指定形状</translation>
    </message>
    <message>
        <source>the weight has no data source</source>
        <translation>该权重没有数据来源</translation>
    </message>
    <message>
        <source>%1 needs %2 of memory, and %3 are free (%4%5)</source>
        <translation>%1 需要 %2 内存，可用 %3（%4%5）</translation>
    </message>
    <message>
        <source>%1: %2. It can be planned without being run (plan only); %3 would need less.</source>
        <translation>%1：%2。可以只规划而不运行（仅规划）；%3 需要的内存较少。</translation>
    </message>
    <message>
        <source>out of memory on cpu: %1 bytes requested, the machine has %2</source>
        <translation>CPU 内存不足：请求 %1 字节，机器有 %2</translation>
    </message>
    <message>
        <source>out of memory on cpu: the system cannot provide %1 bytes</source>
        <translation>CPU 内存不足：系统无法提供 %1 字节</translation>
    </message>
    <message>
        <source>out of memory on %1: %2 bytes requested, %3 reserved and %4 in use (%5)</source>
        <translation>%1 内存不足：请求 %2 字节，已预留 %3，使用中 %4（%5）</translation>
    </message>
    <message>
        <source>out of memory on %1: %2 bytes are more than any device has</source>
        <translation>%1 内存不足：%2 字节超过任何设备的内存</translation>
    </message>
    <message>
        <source>out of memory on %1: %2 bytes of %3 memory do not fit, %4 of the limit of %5 are reserved</source>
        <translation>%1 内存不足：放不下 %3 内存的 %2 字节，上限 %5 中已预留 %4</translation>
    </message>
    <message>
        <source>the limit of %1 of addresses (ulimit -v) is too small: at least %2 are required</source>
        <translation>地址上限 %1 (ulimit -v) 过小：至少需要 %2</translation>
    </message>
    <message>
        <source>out of memory while reading it</source>
        <translation>读取时内存不足</translation>
    </message>
    <message>
        <source>out of memory</source>
        <translation>内存不足</translation>
    </message>
    <message>
        <source>it was cancelled</source>
        <translation>已取消</translation>
    </message>
    <message>
        <source>planning was cancelled</source>
        <translation>规划已取消</translation>
    </message>
    <message>
        <source>the memory plan does not fit in %1 bytes: %2</source>
        <translation>内存规划放不进 %1 字节：%2</translation>
    </message>
    <message>
        <source>no memory is left to plan</source>
        <translation>没有内存可用于规划</translation>
    </message>
    <message>
        <source>there is no planner &apos;%1&apos;; there are:%2</source>
        <translation>没有规划器“%1”；有：%2</translation>
    </message>
    <message>
        <source>there is no order &apos;%1&apos;; there are:%2</source>
        <translation>没有执行顺序“%1”；有：%2</translation>
    </message>
    <message>
        <source>the plan of %1 is wrong: %2</source>
        <translation>%1 的规划有误：%2</translation>
    </message>
    <message>
        <source>invalid capacity of %1 bytes: it must be at least 1</source>
        <translation>容量 %1 字节无效：至少为 1</translation>
    </message>
    <message>
        <source>%1 cannot be run: %2</source>
        <translation>%1 无法运行：%2</translation>
    </message>
    <message>
        <source>&apos;%1&apos; has no data: every input and weight must be bound before a run</source>
        <translation>“%1”没有数据：运行前必须绑定每个输入和权重</translation>
    </message>
    <message>
        <source>%1 has no input &apos;%2&apos;</source>
        <translation>%1 没有输入“%2”</translation>
    </message>
    <message>
        <source>%1 has no input &apos;%2&apos;; it has%3</source>
        <translation>%1 没有输入“%2”；有：%3</translation>
    </message>
    <message>
        <source>input &apos;%1&apos; must be %2 %3, but %4 %5 was given</source>
        <translation>输入“%1”应为 %2 %3，实际给出 %4 %5</translation>
    </message>
    <message>
        <source>%1: input &apos;%2&apos; must be %3 %4, but the file contains %5 %6</source>
        <translation>%1：输入“%2”应为 %3 %4，文件中为 %5 %6</translation>
    </message>
    <message>
        <source>%1, iteration %2: %3</source>
        <translation>%1，第 %2 次迭代：%3</translation>
    </message>
    <message>
        <source>values of the loop need %1 bytes, but only %2 bytes of memory are free</source>
        <translation>循环的值需要 %1 字节，可用内存只有 %2 字节</translation>
    </message>
    <message>
        <source>backend &apos;%1&apos; cannot be used: %2</source>
        <translation>后端“%1”无法使用：%2</translation>
    </message>
    <message>
        <source>backend &apos;%1&apos; has no option &apos;%2&apos;</source>
        <translation>后端“%1”没有选项“%2”</translation>
    </message>
    <message>
        <source>backend &apos;cpu&apos; supports precision high and normal, not &apos;%1&apos;</source>
        <translation>后端“cpu”支持精度 high 和 normal，不支持“%1”</translation>
    </message>
    <message>
        <source>the module %1 is not installed (searched: %2)</source>
        <translation>模块 %1 未安装（已搜索：%2）</translation>
    </message>
    <message>
        <source>the module %1 cannot be loaded: %2</source>
        <translation>模块 %1 无法加载：%2</translation>
    </message>
    <message>
        <source>the module %1 has a different interface version than this program</source>
        <translation>模块 %1 的接口版本与本程序不同</translation>
    </message>
    <message>
        <source>its driver did not answer within %1 s</source>
        <translation>其驱动程序在 %1 秒内没有响应</translation>
    </message>
    <message>
        <source>its driver crashed: signal %1 (%2)</source>
        <translation>其驱动程序崩溃：信号 %1（%2）</translation>
    </message>
    <message>
        <source>its driver ended the process with status %1</source>
        <translation>其驱动程序以状态 %1 结束进程</translation>
    </message>
    <message>
        <source>the number of threads must be between 1 and %1, not %2</source>
        <translation>线程数必须在 1 与 %1 之间，实际为 %2</translation>
    </message>
    <message>
        <source>cannot use processor %1: it is not in the affinity mask of this program</source>
        <translation>无法使用处理器 %1：它不在本程序的亲和性掩码中</translation>
    </message>
    <message>
        <source>%1 is not a generative language model</source>
        <translation>%1 不是生成式语言模型</translation>
    </message>
    <message>
        <source>%1 has a context of %2 tokens, %3 are too many</source>
        <translation>%1 的上下文为 %2 个词元，%3 个过多</translation>
    </message>
    <message>
        <source>the text has the %1 tokens that %2 sees</source>
        <translation>文本已有 %2 能看到的 %1 个词元</translation>
    </message>
    <message>
        <source>%1 cannot be trained: %2</source>
        <translation>%1 无法训练：%2</translation>
    </message>
    <message>
        <source>%1: it cannot be read</source>
        <translation>%1：无法读取</translation>
    </message>
    <message>
        <source>expected IMAGES,LABELS, found &apos;%1&apos;</source>
        <translation>应为 IMAGES,LABELS，实际为“%1”</translation>
    </message>
    <message>
        <source>expected IMAGES,LABELS (only language models accept tokens), found &apos;%1&apos;</source>
        <translation>应为 IMAGES,LABELS（只有语言模型接受词元），实际为“%1”</translation>
    </message>
    <message>
        <source>an event packet is malformed</source>
        <translation>事件数据包格式错误</translation>
    </message>
    <message>
        <source>a description is malformed</source>
        <translation>描述格式错误</translation>
    </message>
    <message>
        <source>a packet is malformed</source>
        <translation>数据包格式错误</translation>
    </message>
    <message>
        <source>the data is not a recording</source>
        <translation>数据不是记录</translation>
    </message>
    <message>
        <source>too many malformed packets</source>
        <translation>格式错误的数据包过多</translation>
    </message>
    <message>
        <source>the recording contains no allocations with addresses</source>
        <translation>记录中没有带地址的分配</translation>
    </message>
    <message>
        <source>line 1: unknown column &apos;%1&apos;</source>
        <translation>第 1 行：未知列“%1”</translation>
    </message>
    <message>
        <source>line 1: column &apos;%1&apos; appears twice</source>
        <translation>第 1 行：列“%1”出现两次</translation>
    </message>
    <message>
        <source>line 1: column &apos;%1&apos; is missing</source>
        <translation>第 1 行：缺少列“%1”</translation>
    </message>
    <message>
        <source>line %1: %2: expected %3, found &apos;%4&apos;</source>
        <translation>第 %1 行：%2：应为 %3，实际为“%4”</translation>
    </message>
    <message>
        <source>line %1: %2</source>
        <translation>第 %1 行：%2</translation>
    </message>
    <message>
        <source>the file is empty</source>
        <translation>文件为空</translation>
    </message>
    <message>
        <source>%1: cannot be opened</source>
        <translation>%1：无法打开</translation>
    </message>
    <message>
        <source>%1: out of memory while reading</source>
        <translation>%1：读取时内存不足</translation>
    </message>
    <message>
        <source>the query is empty</source>
        <translation>查询为空</translation>
    </message>
    <message>
        <source>expected one statement, found more</source>
        <translation>应为一条语句，实际有多条</translation>
    </message>
    <message>
        <source>cannot create the folder %1: %2</source>
        <translation>无法创建文件夹 %1：%2</translation>
    </message>
    <message>
        <source>cannot open the model of this checkpoint: %1</source>
        <translation>无法打开此检查点的模型：%1</translation>
    </message>
    <message>
        <source>tensor &apos;%1&apos;, which &apos;%2&apos; needs, is missing</source>
        <translation>缺少“%2”需要的张量“%1”</translation>
    </message>
    <message>
        <source>tensor &apos;%1&apos; is %2 %3, expected %4 %5</source>
        <translation>张量“%1”为 %2 %3，应为 %4 %5</translation>
    </message>
    <message>
        <source>unknown experiment &apos;%1&apos;; expected %2</source>
        <translation>未知实验“%1”；应为 %2</translation>
    </message>
    <message>
        <source>%1: expected an integer from %2 to %3, found &apos;%4&apos;</source>
        <translation>%1：应为 %2 到 %3 的整数，实际为“%4”</translation>
    </message>
    <message>
        <source>graph: expected at most %1 lines, found %2</source>
        <translation>图：最多 %1 行，实际为 %2 行</translation>
    </message>
    <message>
        <source>graph: expected NAME = OP INPUTS, separated by semicolons</source>
        <translation>图：应为以分号分隔的 NAME = OP INPUTS（名称、算子、输入）</translation>
    </message>
    <message>
        <source>expected 1 to %1 elements, found %2</source>
        <translation>应为 1 到 %1 个元素，实际为 %2 个</translation>
    </message>
    <message>
        <source>element %1 is at byte %2, outside the storage of %3 bytes</source>
        <translation>元素 %1 位于第 %2 字节，在 %3 字节的存储之外</translation>
    </message>
    <message>
        <source>rule, position %1: expected %2, found %3</source>
        <translation>规则，位置 %1：应为 %2，实际为 %3</translation>
    </message>
    <message>
        <source>a rule has at most %1 characters, found %2</source>
        <translation>规则最多 %1 个字符，实际为 %2 个</translation>
    </message>
    <message>
        <source>nothing has run</source>
        <translation>尚未运行</translation>
    </message>
    <message>
        <source>no graph is open</source>
        <translation>没有打开的图</translation>
    </message>
    <message>
        <source>no plan is open</source>
        <translation>没有打开的规划</translation>
    </message>
    <message>
        <source>no tensor is named &apos;%1&apos; in the open graph</source>
        <translation>打开的图中没有名为“%1”的张量</translation>
    </message>
    <message>
        <source>.</source>
        <translation>。</translation>
    </message>
    <message>
        <source>: </source>
        <translation>：</translation>
    </message>
</context>
<context>
    <name>Main</name>
    <message>
        <source>Folder in which to write the built-in lessons as web pages, with an index.</source>
        <translation>把内置课程写成网页（含索引）的文件夹。</translation>
    </message>
    <message>
        <source>Memory visualizer, profiler and step debugger for tensor programs.</source>
        <translation>张量程序的内存可视化、性能分析与单步调试工具。</translation>
    </message>
    <message>
        <source>Export a view without opening a window: %1.</source>
        <translation>不打开窗口直接导出视图：%1。</translation>
    </message>
    <message>
        <source>Output file: a picture (.png, .svg, .pdf) or the data of the view (.csv); of a lesson a web page (.html), a handout (.pdf) or a step (.png).</source>
        <translation>输出文件：图片（.png、.svg、.pdf）或视图的数据（.csv）；对课程则是网页（.html）、讲义（.pdf）或一步的图（.png）。</translation>
    </message>
    <message>
        <source>Image size in logical pixels (default: 1600x900).</source>
        <translation>图片的逻辑像素大小（默认：1600x900）。</translation>
    </message>
    <message>
        <source>Pixels per logical pixel of a PNG (default: 1).</source>
        <translation>PNG 每个逻辑像素对应的像素数（默认：1）。</translation>
    </message>
    <message>
        <source>Name of the node to select, or &quot;peak&quot; for the node at the peak.</source>
        <translation>要选中的节点名称；“peak”表示峰值处的节点。</translation>
    </message>
    <message>
        <source>Expand all layers of the graph.</source>
        <translation>展开图的所有层。</translation>
    </message>
    <message>
        <source>Layout of the window: default, graph, memory, time, plan or lesson; by default that of the kind of file.</source>
        <translation>窗口布局：default、graph、memory、time、plan 或 lesson；默认取决于文件类型。</translation>
    </message>
    <message>
        <source>Planner for a second plan, overlaid on the plan in use.</source>
        <translation>第二个规划（叠加在使用中的规划上）所用的规划器。</translation>
    </message>
    <message>
        <source>Execution order of that plan.</source>
        <translation>该规划的执行顺序。</translation>
    </message>
    <message>
        <source>Show time instead of steps on the x axis.</source>
        <translation>横轴为时间而非步骤。</translation>
    </message>
    <message>
        <source>Model (.onnx, .gguf, zoo:NAME) or recording; a second one is compared with the first, three or more open in tabs.</source>
        <translation>模型（.onnx、.gguf、zoo:名称）或记录；第二个与第一个比较，三个或更多时各占一个标签页。</translation>
    </message>
    <message>
        <source>Colouring of the graph: state, op, backend, time, bytes, block, difference or the title of a column of the Nodes table.</source>
        <translation>计算图的着色：state、op、backend、time、bytes、block、difference，或节点表某列的标题。</translation>
    </message>
    <message>
        <source>Lesson to play: name of a built-in lesson, or a file.</source>
        <translation>要播放的课程：内置课程的名字，或一个文件。</translation>
    </message>
    <message>
        <source>Check the claims and questions of a lesson without a window.</source>
        <translation>不开窗口，检查课程的陈述与问题。</translation>
    </message>
    <message>
        <source>Theme: light, dark or contrast.</source>
        <translation>主题：light、dark 或 contrast。</translation>
    </message>
    <message>
        <source>Lesson step to export with -o FILE.png (default: 1).</source>
        <translation>用 -o FILE.png 导出的课程步骤（默认：1）。</translation>
    </message>
    <message>
        <source>Index of the graph to show if the file contains several, starting at 0.</source>
        <translation>文件含多个计算图时，要显示的计算图的索引（从 0 开始）。</translation>
    </message>
</context>
<context>
    <name>QPlatformTheme</name>
    <message>
        <source>OK</source>
        <translation>确定</translation>
    </message>
    <message>
        <source>&amp;OK</source>
        <translation>确定(&amp;O)</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Apply</source>
        <translation>应用</translation>
    </message>
</context>
<context>
    <name>RunOptions</name>
    <message>
        <source>Backend</source>
        <translation>后端</translation>
    </message>
    <message>
        <source>Backend: cpu, reference, opencl or cuda; opencl:1 selects the second OpenCL device</source>
        <translation>后端：cpu、reference、opencl 或 cuda；opencl:1 表示第二个 OpenCL 设备</translation>
    </message>
    <message>
        <source>Backend options</source>
        <translation>后端选项</translation>
    </message>
    <message>
        <source>Backend option NAME=VALUE; the backend documentation lists them</source>
        <translation>后端选项 NAME=VALUE；见后端文档</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>精度</translation>
    </message>
    <message>
        <source>Numeric precision: high (float32), normal (float32 with reassociation) or low (float16 storage where supported)</source>
        <translation>数值精度：high（float32）、normal（允许重排运算次序的 float32）或 low（支持时以 float16 存储）</translation>
    </message>
    <message>
        <source>OpenCL: memory objects</source>
        <translation>OpenCL：内存对象</translation>
    </message>
    <message>
        <source>Storage of 4-D tensors: buffers, images where kernels support them, or whichever is faster</source>
        <translation>四维张量的存储：缓冲区、内核支持时用图像，或取更快者</translation>
    </message>
    <message>
        <source>CPU: weights</source>
        <translation>CPU：权重</translation>
    </message>
    <message>
        <source>Weight layout: packed (fastest layout within 15 % of additional memory), widest (without a memory limit) or as-given (not repacked, slower)</source>
        <translation>权重布局：packed（最快布局，最多多占 15 % 内存）、widest（不限内存）或 as-given（不重新打包，较慢）</translation>
    </message>
    <message>
        <source>OpenCL: memory mode</source>
        <translation>OpenCL：内存模式</translation>
    </message>
    <message>
        <source>Device memory use: low (weights stay quantised), normal (dequantised once) or high (also Winograd-transformed convolution weights)</source>
        <translation>设备内存用量：low（权重保持量化）、normal（反量化一次）或 high（另存 Winograd 变换后的卷积权重）</translation>
    </message>
    <message>
        <source>OpenCL: convolution weights of images</source>
        <translation>OpenCL：图像卷积的权重</translation>
    </message>
    <message>
        <source>Weights in a buffer, in an image of the static pool, or whichever is faster</source>
        <translation>权重放在缓冲区、静态池的图像，或取更快者</translation>
    </message>
    <message>
        <source>OpenCL: integer dot products</source>
        <translation>OpenCL：整数点积</translation>
    </message>
    <message>
        <source>Quantise activations to int8 in matmuls with quantised weights; auto: if the hardware supports it</source>
        <translation>在量化权重的矩阵乘中把激活也量化为 int8；auto：硬件支持时</translation>
    </message>
    <message>
        <source>OpenCL: shared virtual memory</source>
        <translation>OpenCL：共享虚拟内存</translation>
    </message>
    <message>
        <source>Allocate buffers in memory that host and device access by the same address</source>
        <translation>在主机与设备可用同一地址访问的内存中分配缓冲区</translation>
    </message>
    <message>
        <source>OpenCL: pool</source>
        <translation>OpenCL：内存池</translation>
    </message>
    <message>
        <source>Reuse of free blocks: those with little waste, any larger block, or none</source>
        <translation>空闲块的复用：浪费少的、任何更大的，或不复用</translation>
    </message>
    <message>
        <source>OpenCL: buffer sizes</source>
        <translation>OpenCL：缓冲区大小</translation>
    </message>
    <message>
        <source>Exact size of the tensor, or padded channels, rows and columns as in MNN</source>
        <translation>张量的确切大小，或如 MNN 那样填充通道、行和列</translation>
    </message>
    <message>
        <source>OpenCL: replay</source>
        <translation>OpenCL：重放</translation>
    </message>
    <message>
        <source>Record runs that are not observed once and replay them; observed runs are queued kernel by kernel to measure each</source>
        <translation>把未被观察的运行录成命令序列后重放；被观察的运行逐个内核入队以便计时</translation>
    </message>
    <message>
        <source>OpenCL: tuning</source>
        <translation>OpenCL：调优</translation>
    </message>
    <message>
        <source>Maximum number of work-group sizes to try: 2, 1, 4, 12 or 64</source>
        <translation>最多尝试的工作组大小数：2、1、4、12 或 64</translation>
    </message>
    <message>
        <source>OpenCL: kernels</source>
        <translation>OpenCL：内核</translation>
    </message>
    <message>
        <source>Kernel set: plain uses one generic kernel for all types and layouts, as a baseline</source>
        <translation>内核集：plain 对所有类型和布局使用同一通用内核，作为基准</translation>
    </message>
    <message>
        <source>OpenCL: power</source>
        <translation>OpenCL：功耗</translation>
    </message>
    <message>
        <source>Power hint for the device queue, where supported</source>
        <translation>给设备队列的功耗提示（支持时）</translation>
    </message>
    <message>
        <source>OpenCL: kernel times</source>
        <translation>OpenCL：内核时间</translation>
    </message>
    <message>
        <source>Measure kernel times; required by tuning and the device tracks</source>
        <translation>测量内核时间；调优和设备轨道需要</translation>
    </message>
    <message>
        <source>CUDA: tf32</source>
        <translation>CUDA：tf32</translation>
    </message>
    <message>
        <source>Round inputs of matmuls and convolutions to TF32 (10-bit mantissa)</source>
        <translation>把矩阵乘和卷积的输入舍入为 TF32（10 位尾数）</translation>
    </message>
    <message>
        <source>CUDA: libraries</source>
        <translation>CUDA：库</translation>
    </message>
    <message>
        <source>Use cuBLAS and cuDNN if available</source>
        <translation>可用时使用 cuBLAS 和 cuDNN</translation>
    </message>
    <message>
        <source>CUDA: graphs</source>
        <translation>CUDA：图</translation>
    </message>
    <message>
        <source>Capture runs that are not observed as CUDA graphs and replay them</source>
        <translation>把未被观察的运行捕获为 CUDA 图并重放</translation>
    </message>
    <message>
        <source>CUDA: elementwise fusion</source>
        <translation>CUDA：逐元素融合</translation>
    </message>
    <message>
        <source>Fuse consecutive elementwise nodes into one kernel</source>
        <translation>把连续的逐元素节点融合为一个内核</translation>
    </message>
    <message>
        <source>CUDA: activity records</source>
        <translation>CUDA：活动记录</translation>
    </message>
    <message>
        <source>Take kernel times from driver activity records instead of timers</source>
        <translation>内核时间取自驱动的活动记录而非计时器</translation>
    </message>
    <message>
        <source>Host ops</source>
        <translation>主机算子</translation>
    </message>
    <message>
        <source>Ops to run on the CPU even if the device supports them, e.g. SOFT_MAX</source>
        <translation>即使设备支持也在 CPU 上运行的算子，例如 SOFT_MAX</translation>
    </message>
    <message>
        <source>Memory strategy</source>
        <translation>内存策略</translation>
    </message>
    <message>
        <source>Memory strategy: planned, eager or none</source>
        <translation>内存策略：planned、eager 或 none</translation>
    </message>
    <message>
        <source>Allocator</source>
        <translation>分配器</translation>
    </message>
    <message>
        <source>Host allocator for eager memory: caching, power-of-two or plain</source>
        <translation>eager 内存策略的主机分配器：caching、power-of-two 或 plain</translation>
    </message>
    <message>
        <source>Planner</source>
        <translation>规划器</translation>
    </message>
    <message>
        <source>Memory planner</source>
        <translation>内存规划器</translation>
    </message>
    <message>
        <source>Order</source>
        <translation>执行顺序</translation>
    </message>
    <message>
        <source>Execution order</source>
        <translation>执行顺序</translation>
    </message>
    <message>
        <source>Planning budget</source>
        <translation>规划时间预算</translation>
    </message>
    <message>
        <source>Time limit for search planners, in seconds</source>
        <translation>搜索规划器的时间上限（秒）</translation>
    </message>
    <message>
        <source>Planning steps</source>
        <translation>规划步数预算</translation>
    </message>
    <message>
        <source>Limit of search planners in search steps instead of seconds: the same plan on every machine and under any load</source>
        <translation>搜索规划器以搜索步数而非秒数为上限：在任何机器和负载下得到相同的规划</translation>
    </message>
    <message>
        <source>Capacity</source>
        <translation>容量</translation>
    </message>
    <message>
        <source>Maximum arena size in bytes; if no plan fits, in-place ops, other orders, fusion, rematerialisation and offloading are tried</source>
        <translation>内存区的最大字节数；没有规划放得下时，依次尝试原地算子、其他执行顺序、融合、重计算和换出</translation>
    </message>
    <message>
        <source>Alignment</source>
        <translation>对齐</translation>
    </message>
    <message>
        <source>Alignment of tensors in the arena, in bytes; CANN GE uses 512</source>
        <translation>内存区中张量的对齐字节数；CANN GE 用 512</translation>
    </message>
    <message>
        <source>In place</source>
        <translation>原地</translation>
    </message>
    <message>
        <source>Compute ops in place of inputs that are used for the last time</source>
        <translation>在输入最后一次使用时原地计算算子</translation>
    </message>
    <message>
        <source>Graph rewriting</source>
        <translation>图改写</translation>
    </message>
    <message>
        <source>Fuse patterns that exporters expand and fold constant subgraphs; off: run the model as written</source>
        <translation>融合导出工具展开的模式并折叠常量子图；关闭：按原样运行模型</translation>
    </message>
    <message>
        <source>Prefer</source>
        <translation>优先</translation>
    </message>
    <message>
        <source>Trade-off when fusion or layout needs more memory: time allows up to 15 % more arena, memory none and no packed weights</source>
        <translation>融合或布局需要更多内存时的取舍：time 允许内存区增大最多 15 %；memory 不允许增大，也不保留打包权重</translation>
    </message>
    <message>
        <source>Fusion</source>
        <translation>融合</translation>
    </message>
    <message>
        <source>Fuse chains of ops where the backend supports it; off: one node per op</source>
        <translation>在后端支持处融合算子链；关闭：每个算子一个节点</translation>
    </message>
    <message>
        <source>Channels last</source>
        <translation>通道在后</translation>
    </message>
    <message>
        <source>Use channels-last (NHWC) layout between fused ops where it is faster; off: NCHW throughout</source>
        <translation>在融合算子之间更快时使用通道在后（NHWC）布局；关闭：始终为 NCHW</translation>
    </message>
    <message>
        <source>Threads</source>
        <translation>线程数</translation>
    </message>
    <message>
        <source>Number of threads; 0: one per CPU</source>
        <translation>线程数；0：每个 CPU 一个</translation>
    </message>
    <message>
        <source>CPUs</source>
        <translation>CPU</translation>
    </message>
    <message>
        <source>CPU affinity of the threads, as a list 0,1,…</source>
        <translation>线程的 CPU 亲和性，列表形式 0,1,…</translation>
    </message>
    <message>
        <source>Nice value</source>
        <translation>nice 值（调度优先级）</translation>
    </message>
    <message>
        <source>Nice value of the threads; above 0 other processes have priority</source>
        <translation>线程的 nice 值；大于 0 时其他进程优先</translation>
    </message>
    <message>
        <source>Spin time</source>
        <translation>自旋时间</translation>
    </message>
    <message>
        <source>Time that a waiting thread spins before it parks (0–100)</source>
        <translation>等待线程挂起前的自旋时间（0–100）</translation>
    </message>
    <message>
        <source>No thread fallback</source>
        <translation>禁止回退到单线程</translation>
    </message>
    <message>
        <source>Use all threads even if one thread would be faster</source>
        <translation>即使单线程更快也使用所有线程</translation>
    </message>
    <message>
        <source>Barrier after every node</source>
        <translation>每个节点之后设屏障</translation>
    </message>
    <message>
        <source>Place a barrier after every node, even between consecutive tiny nodes</source>
        <translation>每个节点之后都设屏障，连续的微小节点之间也是</translation>
    </message>
    <message>
        <source>Drop barriers</source>
        <translation>省去屏障</translation>
    </message>
    <message>
        <source>Omit barriers between independent nodes</source>
        <translation>互不依赖的节点之间不设屏障</translation>
    </message>
    <message>
        <source>No work stealing</source>
        <translation>禁止任务窃取</translation>
    </message>
    <message>
        <source>Disable work stealing between threads</source>
        <translation>线程之间禁用任务窃取</translation>
    </message>
    <message>
        <source>Dimensions</source>
        <translation>维度</translation>
    </message>
    <message>
        <source>Size of a symbolic dimension, NAME=N</source>
        <translation>符号维度的大小，NAME=N</translation>
    </message>
    <message>
        <source>Shape of an input with dynamic dimensions, NAME=N,N,…</source>
        <translation>含动态维度的输入的形状，NAME=N,N,…</translation>
    </message>
    <message>
        <source>Shapes</source>
        <translation>形状</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>词元</translation>
    </message>
    <message>
        <source>Sequence length of built-in language models</source>
        <translation>内置语言模型的序列长度</translation>
    </message>
    <message>
        <source>Prefill</source>
        <translation>预填充</translation>
    </message>
    <message>
        <source>Prefill graph of built-in language models (all tokens at once)</source>
        <translation>内置语言模型的预填充图（一次处理所有词元）</translation>
    </message>
    <message>
        <source>Training step</source>
        <translation>训练步</translation>
    </message>
    <message>
        <source>Training step of built-in models that have one</source>
        <translation>内置模型的训练步（若有）</translation>
    </message>
    <message>
        <source>Inputs from files</source>
        <translation>来自文件的输入</translation>
    </message>
    <message>
        <source>Input data from a file, NAME=FILE (.npy or .pb); other inputs are randomly generated</source>
        <translation>来自文件的输入数据，NAME=FILE（.npy 或 .pb）；其他输入随机生成</translation>
    </message>
    <message>
        <source>Optimiser</source>
        <translation>优化器</translation>
    </message>
    <message>
        <source>Optimiser: adamw or sgd</source>
        <translation>优化器：adamw 或 sgd</translation>
    </message>
    <message>
        <source>Learning rate</source>
        <translation>学习率</translation>
    </message>
    <message>
        <source>Maximum learning rate of the schedule</source>
        <translation>学习率调度的最大学习率</translation>
    </message>
    <message>
        <source>Epochs</source>
        <translation>轮数</translation>
    </message>
    <message>
        <source>Number of passes over the training data</source>
        <translation>遍历训练数据的次数</translation>
    </message>
    <message>
        <source>Batch size</source>
        <translation>批大小</translation>
    </message>
    <message>
        <source>Examples per training step</source>
        <translation>每个训练步的样本数</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>损失</translation>
    </message>
    <message>
        <source>Loss function: cross-entropy, squared-error or binary-cross-entropy</source>
        <translation>损失函数：cross-entropy（交叉熵）、squared-error（平方误差）或 binary-cross-entropy（二元交叉熵）</translation>
    </message>
    <message>
        <source>Schedule</source>
        <translation>学习率调度</translation>
    </message>
    <message>
        <source>Learning rate schedule: constant, cosine, linear or steps</source>
        <translation>学习率调度：constant、cosine、linear 或 steps</translation>
    </message>
    <message>
        <source>Warm-up</source>
        <translation>预热</translation>
    </message>
    <message>
        <source>Number of warm-up steps of the learning rate</source>
        <translation>学习率预热的步数</translation>
    </message>
    <message>
        <source>Gradient clipping</source>
        <translation>梯度裁剪</translation>
    </message>
    <message>
        <source>Maximum global gradient norm; 0: unlimited</source>
        <translation>全局梯度范数上限；0：不限</translation>
    </message>
    <message>
        <source>Precision of stored activations: f32 or bf16 (half the memory); weights stay f32</source>
        <translation>保存的激活值的精度：f32 或 bf16（一半内存）；权重仍为 f32</translation>
    </message>
    <message>
        <source>Micro-batches</source>
        <translation>微批次数</translation>
    </message>
    <message>
        <source>Number of micro-batches per batch, with accumulated gradients</source>
        <translation>每个批次的微批次数，梯度累加</translation>
    </message>
    <message>
        <source>Dropout</source>
        <translation>Dropout 率</translation>
    </message>
    <message>
        <source>Dropout rate that overrides the rate of the model; in gpt2 and nano_gpt after embeddings, attention and feed-forward layers</source>
        <translation>覆盖模型自身的 dropout 率；在 gpt2 和 nano_gpt 中位于嵌入、注意力和前馈层之后</translation>
    </message>
    <message>
        <source>Sequence length</source>
        <translation>序列长度</translation>
    </message>
    <message>
        <source>Tokens per sequence of language models; 0: the context length, at most 512</source>
        <translation>语言模型每个序列的词元数；0：上下文长度，最多 512</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>随机种子</translation>
    </message>
    <message>
        <source>Random seed for the order of examples and for dropout</source>
        <translation>样本顺序和 dropout 的随机种子</translation>
    </message>
    <message>
        <source>Weight decay</source>
        <translation>权重衰减</translation>
    </message>
    <message>
        <source>Weight decay of parameters without a group</source>
        <translation>未分组参数的权重衰减</translation>
    </message>
    <message>
        <source>Weight decay groups</source>
        <translation>权重衰减分组</translation>
    </message>
    <message>
        <source>Weight decay of parameters by name, PATTERN=DECAY such as &apos;*.bias=0&apos;; the last match applies</source>
        <translation>按名称设置参数的权重衰减，PATTERN=DECAY，例如“*.bias=0”；以最后一个匹配者为准</translation>
    </message>
    <message>
        <source>Momentum</source>
        <translation>动量</translation>
    </message>
    <message>
        <source>Momentum of sgd, below 1</source>
        <translation>sgd 的动量，小于 1</translation>
    </message>
    <message>
        <source>Beta 1</source>
        <translation>Beta 1</translation>
    </message>
    <message>
        <source>Decay rate of the first moment of adamw, below 1</source>
        <translation>adamw 一阶矩的衰减率，小于 1</translation>
    </message>
    <message>
        <source>Beta 2</source>
        <translation>Beta 2</translation>
    </message>
    <message>
        <source>Decay rate of the second moment of adamw, below 1</source>
        <translation>adamw 二阶矩的衰减率，小于 1</translation>
    </message>
    <message>
        <source>Epsilon</source>
        <translation>Epsilon</translation>
    </message>
    <message>
        <source>Constant added to the root of the second moment in adamw</source>
        <translation>adamw 中加到二阶矩平方根上的常数</translation>
    </message>
</context>
<context>
    <name>arenascope::app::About</name>
    <message>
        <source>About Arenascope</source>
        <translation>关于 Arenascope</translation>
    </message>
    <message>
        <source>&lt;h2&gt;Arenascope %1&lt;/h2&gt;&lt;p&gt;Memory visualizer, profiler and step debugger for tensor programs on the CPU, OpenCL and CUDA.&lt;/p&gt;&lt;p&gt;The window is free software under the GNU General Public License, version 3 or later; the engine is under the MIT licence.&lt;/p&gt;&lt;p&gt;Built with Qt %2 and QCustomPlot.&lt;/p&gt;</source>
        <translation>&lt;h2&gt;Arenascope %1&lt;/h2&gt;&lt;p&gt;CPU、OpenCL 与 CUDA 上张量程序的内存可视化、性能分析与单步调试工具。&lt;/p&gt;&lt;p&gt;窗口程序是自由软件，采用 GNU 通用公共许可证第 3 版或更新版本；引擎采用 MIT 许可证。&lt;/p&gt;&lt;p&gt;基于 Qt %2 与 QCustomPlot 构建。&lt;/p&gt;</translation>
    </message>
</context>
<context>
    <name>arenascope::app::AllocatorReplays</name>
    <message>
        <source>Replaying allocator requests…</source>
        <translation>正在重放分配器的请求…</translation>
    </message>
</context>
<context>
    <name>arenascope::app::Attached</name>
    <message>
        <source>%1 was terminated by signal %2.</source>
        <translation>%1 被信号 %2 终止。</translation>
    </message>
    <message>
        <source>%1 exited with status %2.</source>
        <translation>%1 以状态 %2 结束。</translation>
    </message>
    <message>
        <source>%1 never attached: it neither includes arenascope_client.h nor uses an API that an adapter records.</source>
        <translation>%1 从未附加：它既未包含 arenascope_client.h，也未使用适配器所记录的接口。</translation>
    </message>
    <message>
        <source>Waiting for %1 to attach…</source>
        <translation>正在等待 %1 附加…</translation>
    </message>
    <message>
        <source>Recording %1: %2 events…</source>
        <translation>正在记录 %1：%2 个事件…</translation>
    </message>
</context>
<context>
    <name>arenascope::app::Breakpoint</name>
    <message>
        <source>node %1</source>
        <translation>节点 %1</translation>
    </message>
    <message>
        <source>every %1</source>
        <translation>所有 %1</translation>
    </message>
    <message>
        <source>names like %1</source>
        <translation>名称匹配 %1</translation>
    </message>
    <message>
        <source>results of %1 or more</source>
        <translation>结果不小于 %1</translation>
    </message>
    <message>
        <source>NaN or infinity in a result</source>
        <translation>结果中有 NaN 或无穷</translation>
    </message>
</context>
<context>
    <name>arenascope::app::BreakpointModel</name>
    <message>
        <source>Pause before</source>
        <translation>在此之前暂停</translation>
    </message>
    <message>
        <source>Nodes</source>
        <translation>节点</translation>
    </message>
    <message>
        <source>Number of matching nodes in this graph</source>
        <translation>此图中匹配的节点数</translation>
    </message>
    <message>
        <source>On</source>
        <translation>启用</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>是</translation>
    </message>
    <message>
        <source>no</source>
        <translation>否</translation>
    </message>
    <message>
        <source>The recording contains no such result, or results were not checked. This breakpoint applies to live runs.</source>
        <translation>记录中没有这样的结果，或录制时未作检查。此断点用于实时运行。</translation>
    </message>
    <message>
        <source>%1 (live runs only)</source>
        <translation>%1（仅在实时运行中）</translation>
    </message>
</context>
<context>
    <name>arenascope::app::BreakpointPanel</name>
    <message>
        <source>Enter a number of bytes, such as 64 KiB.</source>
        <translation>请输入字节数，例如 64 KiB。</translation>
    </message>
    <message>
        <source>Choose what to break on.</source>
        <translation>请选择断点的对象。</translation>
    </message>
    <message>
        <source>This breakpoint already exists.</source>
        <translation>此断点已存在。</translation>
    </message>
    <message>
        <source>Op</source>
        <translation>算子</translation>
    </message>
    <message>
        <source>Name pattern</source>
        <translation>名称模式</translation>
    </message>
    <message>
        <source>Node</source>
        <translation>节点</translation>
    </message>
    <message>
        <source>Minimum size (bytes)</source>
        <translation>最小字节数</translation>
    </message>
    <message>
        <source>NaN or infinity</source>
        <translation>NaN 或无穷</translation>
    </message>
    <message>
        <source>Kind of the new breakpoint</source>
        <translation>新断点的类型</translation>
    </message>
    <message>
        <source>Target of the new breakpoint</source>
        <translation>新断点的目标</translation>
    </message>
    <message>
        <source>Breakpoints</source>
        <translation>断点</translation>
    </message>
    <message>
        <source>&amp;Add</source>
        <translation>添加(&amp;A)</translation>
    </message>
    <message>
        <source>Re&amp;move</source>
        <translation>移除(&amp;M)</translation>
    </message>
    <message>
        <source>Remove A&amp;ll</source>
        <translation>全部移除(&amp;L)</translation>
    </message>
    <message>
        <source>No breakpoints. F9 sets one on the selected node; others are added above.</source>
        <translation>没有断点。F9 在所选节点上设置断点；其他断点在上方添加。</translation>
    </message>
    <message>
        <source>In name patterns * matches any text and ? one character. NaN and infinity are checked in live runs; a recording contains those found while it ran.</source>
        <translation>名称模式中 * 匹配任意文本，? 匹配一个字符。NaN 与无穷在实时运行中检查；记录中含有运行时发现的结果。</translation>
    </message>
</context>
<context>
    <name>arenascope::app::CommandPalette</name>
    <message>
        <source>Type the name of an action</source>
        <translation>输入操作名称</translation>
    </message>
    <message>
        <source>Action</source>
        <translation>操作</translation>
    </message>
</context>
<context>
    <name>arenascope::app::CompareLoader</name>
    <message>
        <source>Reading %1…</source>
        <translation>正在读取 %1…</translation>
    </message>
</context>
<context>
    <name>arenascope::app::Debugger</name>
    <message>
        <source>Select a node to set a breakpoint.</source>
        <translation>请先选择节点以设置断点。</translation>
    </message>
    <message>
        <source>Select the node to run to.</source>
        <translation>请先选择要运行到的节点。</translation>
    </message>
    <message>
        <source>No further chunk of a thread was recorded.</source>
        <translation>后面没有记录到线程的分块。</translation>
    </message>
</context>
<context>
    <name>arenascope::app::Document</name>
    <message>
        <source>Comparing with %1 (shown as B): %2 nodes match, %3 only in A, %4 only in B.</source>
        <translation>正在与 %1（显示为 B）比较：%2 个节点相同，%3 个仅在 A，%4 个仅在 B。</translation>
    </message>
    <message>
        <source>Unspecified input sizes were assumed: %1.</source>
        <translation>未指定的输入大小已按假定取值：%1。</translation>
    </message>
    <message>
        <source>The oldest runs were discarded. A live recording keeps at most %1.</source>
        <translation>最早的运行已丢弃。实时记录最多保留 %1。</translation>
    </message>
    <message>
        <source>The recording was saved to %1.</source>
        <translation>记录已保存到 %1。</translation>
    </message>
</context>
<context>
    <name>arenascope::app::DocumentTabs</name>
    <message>
        <source>Nothing open</source>
        <translation>未打开任何文件</translation>
    </message>
    <message>
        <source>Open files</source>
        <translation>已打开的文件</translation>
    </message>
</context>
<context>
    <name>arenascope::app::FrameOverlay</name>
    <message>
        <source>%1 frames/s   mean %2 ms   longest %3 ms   UI thread at most %4 ms</source>
        <translation>%1 帧/秒   平均 %2 ms   最长 %3 ms   界面线程最多 %4 ms</translation>
    </message>
</context>
<context>
    <name>arenascope::app::FrontierPlot</name>
    <message>
        <source>Arena %1, %2 % more operations</source>
        <translation>内存区 %1，运算增加 %2 %</translation>
    </message>
    <message>
        <source>recomputed operations, up to %1 % of all</source>
        <translation>重计算的运算，最多占全部的 %1 %</translation>
    </message>
    <message>
        <source>arena size</source>
        <translation>内存区大小</translation>
    </message>
</context>
<context>
    <name>arenascope::app::GenerationJob</name>
    <message>
        <source>Generating text…</source>
        <translation>正在生成文本…</translation>
    </message>
</context>
<context>
    <name>arenascope::app::Handout</name>
    <message>
        <source>Answer:</source>
        <translation>答案：</translation>
    </message>
    <message>
        <source>No lesson is open.</source>
        <translation>没有打开课程。</translation>
    </message>
    <message>
        <source>Answers</source>
        <translation>答案</translation>
    </message>
    <message>
        <source>No step %1: the lesson has %2 steps.</source>
        <translation>没有第 %1 步：本课有 %2 步。</translation>
    </message>
    <message>
        <source>%1 cannot be written.</source>
        <translation>无法写入 %1。</translation>
    </message>
</context>
<context>
    <name>arenascope::app::OtherForm</name>
    <message>
        <source>Planning the model as written…</source>
        <translation>正在按原样规划模型…</translation>
    </message>
    <message>
        <source>Planning the optimised model…</source>
        <translation>正在规划优化后的模型…</translation>
    </message>
</context>
<context>
    <name>arenascope::app::Replanner</name>
    <message>
        <source>Planning…</source>
        <translation>正在规划…</translation>
    </message>
</context>
<context>
    <name>arenascope::app::SearchPanel</name>
    <message>
        <source>Nodes, tensors, spans, allocations, stack frames and messages whose name contains all words. Also: /regular expression/, &quot;two words&quot;, bytes&gt;1MiB, time&gt;2ms, op:Conv, layer:encoder, thread:1, kind:span.</source>
        <translation>名称包含全部词的节点、张量、区间、分配、栈帧和消息。还可用：/正则表达式/、&quot;两个词&quot;、bytes&gt;1MiB、time&gt;2ms、op:Conv、layer:encoder、thread:1、kind:span。</translation>
    </message>
    <message>
        <source>No match.</source>
        <translation>无匹配。</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>种类</translation>
    </message>
    <message>
        <source>Node, tensor, span, allocation, stack frame or message</source>
        <translation>节点、张量、区间、分配、栈帧或消息</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Name, with the op of a node</source>
        <translation>名称，节点附带算子</translation>
    </message>
    <message>
        <source>Where</source>
        <translation>位置</translation>
    </message>
    <message>
        <source>Layer, thread, allocator or file</source>
        <translation>层、线程、分配器或文件</translation>
    </message>
    <message>
        <source>Bytes</source>
        <translation>字节</translation>
    </message>
    <message>
        <source>Bytes of the tensor, allocation or copy</source>
        <translation>张量、分配或拷贝的字节数</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Duration of a span or allocation; median of a node</source>
        <translation>区间或分配的时长；节点的中位数</translation>
    </message>
    <message>
        <source>The first %1 matches</source>
        <translation>前 %1 个匹配</translation>
    </message>
    <message>
        <source>Search everything: name, /regex/, bytes&gt;1MiB, op:Conv</source>
        <translation>搜索全部：名称、/正则/、bytes&gt;1MiB、op:Conv</translation>
    </message>
    <message>
        <source>Search everything</source>
        <translation>搜索全部</translation>
    </message>
    <message>
        <source>Return: next match. Escape: close</source>
        <translation>Return：下一个匹配。Escape：关闭</translation>
    </message>
    <message>
        <source>Note about the search</source>
        <translation>搜索的说明</translation>
    </message>
    <message>
        <source>Searching…</source>
        <translation>正在搜索…</translation>
    </message>
    <message>
        <source>The search was cancelled.</source>
        <translation>搜索已取消。</translation>
    </message>
</context>
<context>
    <name>arenascope::app::SummaryBar</name>
    <message>
        <source>arena %1, at the lower bound</source>
        <translation>内存区 %1，达到下界</translation>
    </message>
    <message>
        <source>arena %1, lower bound %2, gap %3</source>
        <translation>内存区 %1，下界 %2，差距 %3</translation>
    </message>
    <message>
        <source>median run %1</source>
        <translation>运行中位数 %1</translation>
    </message>
    <message>
        <source>%1 nodes in the file, %2 in the graph</source>
        <translation>文件中 %1 个节点，图中 %2 个</translation>
    </message>
    <message>
        <source>Peak of each memory kind; the shown plan; all runs except the cold first one. %1</source>
        <translation>各内存类别的峰值；所示规划；除首次冷运行外的所有运行。%1</translation>
    </message>
    <message>
        <source>Summary</source>
        <translation>摘要</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Debug</source>
        <translation>调试</translation>
    </message>
    <message>
        <source>Panels about: %1</source>
        <translation>面板组：%1</translation>
    </message>
    <message>
        <source>memory not recorded</source>
        <translation>未记录内存</translation>
    </message>
    <message>
        <source>as written: %1 · optimised: %2</source>
        <translation>原样：%1 · 优化后：%2</translation>
    </message>
    <message>
        <source>Arena. Click to open the model as written</source>
        <translation>内存区。单击以原样打开模型</translation>
    </message>
    <message>
        <source>Arena of the model. Click to open it optimised: rewritten and fused</source>
        <translation>模型的内存区。单击以优化形式打开：改写并融合</translation>
    </message>
</context>
<context>
    <name>arenascope::app::InputSizes</name>
    <message>
        <source>channels per block</source>
        <translation>每块通道数</translation>
    </message>
    <message>
        <source>%1, dimension %2 of %3</source>
        <translation>%1，第 %2 维（共 %3 维）</translation>
    </message>
    <message>
        <source>the value of %1</source>
        <translation>%1 的值</translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>另有 %n 项</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>arenascope::app::InspectorPanel</name>
    <message>
        <source>Select a tensor to see its values.</source>
        <translation>选择张量以查看其数值。</translation>
    </message>
    <message>
        <source>A recording contains no values; open the model to see them.</source>
        <translation>记录中没有数值；请打开模型查看。</translation>
    </message>
    <message>
        <source>Pause the run to see values.</source>
        <translation>暂停运行以查看数值。</translation>
    </message>
</context>
<context>
    <name>arenascope::app::JobBar</name>
    <message>
        <source>%1 s left</source>
        <translation>还剩 %1 秒</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>进度</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Cancel: %1</source>
        <translation>取消：%1</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>Running tasks of all documents</source>
        <translation>所有文档中正在运行的任务</translation>
    </message>
    <message numerus="yes">
        <source>%n task(s)</source>
        <translation>
            <numerusform>%n 个任务</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>arenascope::app::TrainingJob</name>
    <message>
        <source>Training…</source>
        <translation>正在训练…</translation>
    </message>
    <message>
        <source>Training, epoch %1…</source>
        <translation>正在训练，第 %1 轮…</translation>
    </message>
    <message>
        <source>Computing the memory frontier…</source>
        <translation>正在计算内存—计算帕累托前沿…</translation>
    </message>
</context>
<context>
    <name>arenascope::app::TrainingPlot</name>
    <message>
        <source>Step %1: loss %2, accuracy %3 %</source>
        <translation>第 %1 步：损失 %2，准确率 %3 %</translation>
    </message>
    <message>
        <source>Plot of loss, accuracy and gradient norms</source>
        <translation>损失、准确率和梯度范数图</translation>
    </message>
    <message>
        <source>loss (solid, up to %1), accuracy (dashed, up to 100 %)</source>
        <translation>损失（实线，最大 %1），准确率（虚线，最大 100 %）</translation>
    </message>
    <message>
        <source>Gradient of %1: norm %2</source>
        <translation>%1 的梯度：范数 %2</translation>
    </message>
</context>
<context>
    <name>arenascope::app::LessonPage</name>
    <message>
        <source>Number</source>
        <translation>序号</translation>
    </message>
    <message>
        <source>Operation</source>
        <translation>操作</translation>
    </message>
    <message>
        <source>Values</source>
        <translation>值</translation>
    </message>
    <message>
        <source>Finding</source>
        <translation>优化建议</translation>
    </message>
    <message>
        <source>Saving</source>
        <translation>节省</translation>
    </message>
    <message>
        <source>values</source>
        <translation>数值</translation>
    </message>
    <message>
        <source>Fact</source>
        <translation>属性</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>值</translation>
    </message>
    <message>
        <source>This panel is available in the program only.</source>
        <translation>此面板仅在程序中可用。</translation>
    </message>
</context>
<context>
    <name>arenascope::app::LessonPlayer</name>
    <message>
        <source>The model is running…</source>
        <translation>模型正在运行…</translation>
    </message>
    <message>
        <source>The model is running. The first run compiles and measures the kernels of the device…</source>
        <translation>模型正在运行。第一次运行会编译并测量设备的内核…</translation>
    </message>
    <message>
        <source>the window is not ready for this step: missing %1</source>
        <translation>窗口还没有为这一步准备好：缺 %1</translation>
    </message>
    <message>
        <source>the current document has no tensor %1</source>
        <translation>当前文档没有张量 %1</translation>
    </message>
    <message>
        <source>%1 is not available now</source>
        <translation>“%1”现在不可用</translation>
    </message>
    <message>
        <source>unknown layout %1</source>
        <translation>未知布局 %1</translation>
    </message>
    <message>
        <source>no graph to plan</source>
        <translation>没有可规划的图</translation>
    </message>
    <message>
        <source>unknown panel %1</source>
        <translation>未知面板 %1</translation>
    </message>
    <message>
        <source>no step %1</source>
        <translation>没有第 %1 步</translation>
    </message>
    <message>
        <source>the current document cannot be run</source>
        <translation>当前文档不能运行</translation>
    </message>
    <message>
        <source>%1 would reveal the answer. It is hidden until you answer the question of this step.
Use the other panels.</source>
        <translation>%1会泄露答案，在回答本步的问题之前保持隐藏。
请使用其他面板。</translation>
    </message>
</context>
<context>
    <name>arenascope::app::MainWindow</name>
    <message>
        <source>Showing the plan in use.</source>
        <translation>正在显示使用中的规划。</translation>
    </message>
    <message>
        <source>Showing the plan by %1 with order %2 (%3), overlaid on the plan in use.</source>
        <translation>正在显示由 %1 按顺序 %2 得到的规划（%3），叠加在使用中的规划上。</translation>
    </message>
    <message>
        <source>Arenascope</source>
        <translation>Arenascope</translation>
    </message>
    <message>
        <source>%1 – Arenascope</source>
        <translation>%1 – Arenascope</translation>
    </message>
    <message>
        <source>%1, paused before %2 – Arenascope</source>
        <translation>%1，暂停于 %2 之前 – Arenascope</translation>
    </message>
    <message numerus="yes">
        <source>Arenascope did not shut down properly. Recover %n recording(s) with File ▸ Recover a Recording.</source>
        <translation>
            <numerusform>Arenascope 未正常退出。可通过 文件 ▸ 恢复记录 恢复 %n 个记录。</numerusform>
        </translation>
    </message>
    <message>
        <source>What if: %1 Shown over the plan in use.</source>
        <translation>假设：%1 与使用中的规划叠加显示。</translation>
    </message>
    <message numerus="yes">
        <source>Unsaved recordings are under File ▸ Recover a Recording: %n file(s).</source>
        <translation>
            <numerusform>未保存的记录在 文件 ▸ 恢复录制 中：%n 个文件。</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>arenascope::app::Manual</name>
    <message>
        <source>Arenascope Manual</source>
        <translation>Arenascope 手册</translation>
    </message>
    <message>
        <source>Find in the manual</source>
        <translation>在手册中查找</translation>
    </message>
</context>
<context>
    <name>arenascope::app::MessageBar</name>
    <message>
        <source>Messages</source>
        <translation>消息</translation>
    </message>
    <message>
        <source>Close this message</source>
        <translation>关闭此消息</translation>
    </message>
</context>
<context>
    <name>arenascope::app::Messages</name>
    <message>
        <source>Paused after %1: its result contains NaN or infinity.</source>
        <translation>已在 %1 之后暂停：其结果含有 NaN 或无穷大。</translation>
    </message>
    <message>
        <source>Paused before %1 by a breakpoint.</source>
        <translation>断点触发，已在 %1 之前暂停。</translation>
    </message>
</context>
<context>
    <name>arenascope::app::Opener</name>
    <message>
        <source>Reading the recording… %1 %</source>
        <translation>正在读取记录… %1 %</translation>
    </message>
    <message>
        <source>Reading the model…</source>
        <translation>正在读取模型…</translation>
    </message>
    <message>
        <source>Loading the weights…</source>
        <translation>正在载入权重…</translation>
    </message>
    <message>
        <source>Planning memory…</source>
        <translation>正在规划内存…</translation>
    </message>
    <message>
        <source>Preparing…</source>
        <translation>正在准备…</translation>
    </message>
    <message>
        <source>Opening was cancelled.</source>
        <translation>已取消打开。</translation>
    </message>
    <message>
        <source>%1 contains no graph to plan.</source>
        <translation>%1 没有可规划的计算图。</translation>
    </message>
    <message>
        <source>%1 cannot be run: %2</source>
        <translation>%1 无法运行：%2</translation>
    </message>
</context>
<context>
    <name>arenascope::app::Panels</name>
    <message>
        <source>%1 cannot be written: %2.</source>
        <translation>无法写入 %1：%2。</translation>
    </message>
    <message>
        <source>Table %1</source>
        <translation>表格 %1</translation>
    </message>
</context>
<context>
    <name>arenascope::app::PlaybackBar</name>
    <message>
        <source>run %1/%2</source>
        <translation>第 %1/%2 次运行</translation>
    </message>
    <message>
        <source>step %1/%2</source>
        <translation>第 %1/%2 步</translation>
    </message>
    <message>
        <source>no steps</source>
        <translation>无步骤</translation>
    </message>
    <message>
        <source>Playback</source>
        <translation>播放</translation>
    </message>
    <message>
        <source>x:</source>
        <translation>x 轴：</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Show steps on the x axis (T)</source>
        <translation>x 轴按步计 (T)</translation>
    </message>
    <message>
        <source>Show time on the x axis (T)</source>
        <translation>x 轴按时间计 (T)</translation>
    </message>
    <message>
        <source>Memory planner</source>
        <translation>内存规划器</translation>
    </message>
    <message>
        <source>Planner</source>
        <translation>规划器</translation>
    </message>
    <message>
        <source>Execution order</source>
        <translation>执行顺序</translation>
    </message>
    <message>
        <source>Order</source>
        <translation>执行顺序</translation>
    </message>
    <message>
        <source>graph %1</source>
        <translation>计算图 %1</translation>
    </message>
    <message>
        <source>Shown graph of the file, such as a method of a program</source>
        <translation>文件中显示的计算图，例如程序的一个方法</translation>
    </message>
    <message>
        <source>Graph</source>
        <translation>计算图</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Show the whole recording on the x axis, each run equally wide (Shift+T)</source>
        <translation>x 轴显示整个记录，每次运行等宽 (Shift+T)</translation>
    </message>
</context>
<context>
    <name>arenascope::app::PreferencesForm</name>
    <message>
        <source>Save live recordings to a &amp;file</source>
        <translation>将实时记录保存到文件(&amp;F)</translation>
    </message>
    <message>
        <source>After a crash it is available in File ▸ Recover a Recording. It is deleted when you close the file.</source>
        <translation>崩溃后可在 文件 ▸ 恢复记录 中找到。关闭文件时删除。</translation>
    </message>
    <message>
        <source>&amp;Language</source>
        <translation>语言(&amp;L)</translation>
    </message>
    <message>
        <source>System</source>
        <translation>跟随系统</translation>
    </message>
    <message>
        <source>T&amp;heme</source>
        <translation>主题(&amp;H)</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>浅色</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>深色</translation>
    </message>
    <message>
        <source> MiB</source>
        <translation> MiB</translation>
    </message>
    <message>
        <source>Limit in memory and, separately, in the file below. Older runs are discarded. Applies to documents opened from now on.</source>
        <translation>内存中的上限，下面的文件另有同样的上限。更早的运行会被丢弃。对此后打开的文档生效。</translation>
    </message>
    <message>
        <source>Live &amp;recording buffer</source>
        <translation>实时记录缓冲区(&amp;R)</translation>
    </message>
    <message>
        <source>High contrast</source>
        <translation>高对比度</translation>
    </message>
    <message>
        <source>Reopen the &amp;documents of the last session</source>
        <translation>重新打开上次会话的文档(&amp;D)</translation>
    </message>
    <message>
        <source>If Arenascope is started without a file, their zoom, filters and other view settings are restored too.</source>
        <translation>不指定文件启动 Arenascope 时，连同缩放、筛选和其他视图设置一起恢复。</translation>
    </message>
</context>
<context>
    <name>arenascope::app::Replanning</name>
    <message>
        <source>%1 of %2: %3, %4</source>
        <translation>第 %1 个，共 %2 个：%3，%4</translation>
    </message>
    <message>
        <source>Planning…</source>
        <translation>正在规划…</translation>
    </message>
    <message>
        <source>Cancelled.</source>
        <translation>已取消。</translation>
    </message>
    <message numerus="yes">
        <source>%n plan(s); smallest: %1 by %2, %3.</source>
        <translation>
            <numerusform>%n 个规划；最小的：%1，由 %2、%3 得到。</numerusform>
        </translation>
    </message>
    <message>
        <source>%1, %2: %3</source>
        <translation>%1，%2：%3</translation>
    </message>
    <message>
        <source>, %1 less than before</source>
        <translation>，比之前少 %1</translation>
    </message>
    <message>
        <source>, %1 more than before</source>
        <translation>，比之前多 %1</translation>
    </message>
    <message>
        <source>; it fits</source>
        <translation>；放得下</translation>
    </message>
    <message>
        <source>; no plan with this order fits: the lower bound is %1</source>
        <translation>；此执行顺序下没有规划放得下：下界是 %1</translation>
    </message>
    <message>
        <source>; it does not fit</source>
        <translation>；放不下</translation>
    </message>
    <message>
        <source>%1 is below the lower bound of this order, %2; a smaller arena needs another order.</source>
        <translation>%1 低于此执行顺序的下界 %2；更小的内存区需要换一种执行顺序。</translation>
    </message>
</context>
<context>
    <name>arenascope::app::RunController</name>
    <message>
        <source>%1: iteration %2…</source>
        <translation>%1：第 %2 次迭代…</translation>
    </message>
    <message>
        <source>Opening %1…</source>
        <translation>正在打开 %1…</translation>
    </message>
    <message>
        <source>Planning memory…</source>
        <translation>正在规划内存…</translation>
    </message>
</context>
<context>
    <name>arenascope::app::RunSettingsPanel</name>
    <message>
        <source>The current document cannot be run.</source>
        <translation>当前文档不能运行。</translation>
    </message>
    <message>
        <source>No document is open.</source>
        <translation>没有打开文档。</translation>
    </message>
    <message>
        <source>default: none</source>
        <translation>默认：无</translation>
    </message>
    <message>
        <source>default: %1</source>
        <translation>默认：%1</translation>
    </message>
    <message>
        <source>Apply and Reopen</source>
        <translation>应用并重新打开</translation>
    </message>
    <message>
        <source>Your values are saved for this file or model</source>
        <translation>所填的值会为该文件或模型保存</translation>
    </message>
    <message>
        <source>Use Defaults</source>
        <translation>使用默认值</translation>
    </message>
    <message>
        <source>Use the preferences and discard the saved values</source>
        <translation>使用首选项并丢弃已保存的值</translation>
    </message>
    <message>
        <source>Option</source>
        <translation>选项</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>值</translation>
    </message>
    <message>
        <source>Default</source>
        <translation>默认</translation>
    </message>
    <message>
        <source>Description</source>
        <translation>说明</translation>
    </message>
    <message>
        <source>A lesson controls these settings. Your own settings are unchanged.</source>
        <translation>这些设置由课程控制。你自己的设置没有改变。</translation>
    </message>
</context>
<context>
    <name>arenascope::app::SavingText</name>
    <message>
        <source>ops in place</source>
        <translation>算子原地计算</translation>
    </message>
    <message>
        <source>execution order %1</source>
        <translation>执行顺序 %1</translation>
    </message>
    <message>
        <source>chains of ops are fused</source>
        <translation>算子链融合</translation>
    </message>
    <message>
        <source>planner %1</source>
        <translation>规划器 %1</translation>
    </message>
    <message>
        <source>It fits under %1, with %2, given: %3.</source>
        <translation>放得下：上限 %1，需要 %2，条件：%3。</translation>
    </message>
    <message>
        <source>Neither in-place ops nor other orders bring it under %1.</source>
        <translation>原地算子和其他执行顺序都不能降到 %1 以下。</translation>
    </message>
    <message>
        <source>With fusion it would need %1: Run Settings ▸ Fusion.</source>
        <translation>融合后需要 %1：运行设置 ▸ 融合。</translation>
    </message>
    <message>
        <source>Without additional computation it needs %1: %2.</source>
        <translation>不增加计算时需要 %1：%2。</translation>
    </message>
</context>
<context>
    <name>arenascope::app::Shell</name>
    <message>
        <source>Answers are no longer collected.</source>
        <translation>不再收集答案。</translation>
    </message>
    <message>
        <source>Collect answers in a file</source>
        <translation>把答案收集到文件中</translation>
    </message>
    <message>
        <source>Each answer is appended to %1.</source>
        <translation>每个答案都追加到 %1。</translation>
    </message>
    <message>
        <source>Launch and Record</source>
        <translation>启动并记录</translation>
    </message>
    <message>
        <source>Program and &amp;arguments:</source>
        <translation>程序及其参数(&amp;A)：</translation>
    </message>
    <message>
        <source>./program --option value</source>
        <translation>./程序 --选项 值</translation>
    </message>
    <message>
        <source>Record &amp;heap blocks by call site</source>
        <translation>按调用点记录堆中的内存块(&amp;H)</translation>
    </message>
    <message>
        <source>Programs that include arenascope_client.h and OpenCL programs need no adapter. The program writes to the standard output of Arenascope.</source>
        <translation>包含 arenascope_client.h 的程序和 OpenCL 程序不需要适配器。该程序写到 Arenascope 的标准输出。</translation>
    </message>
    <message>
        <source>&amp;Start</source>
        <translation>启动(&amp;S)</translation>
    </message>
    <message>
        <source>Compare with a recording or a model</source>
        <translation>与记录或模型比较</translation>
    </message>
    <message>
        <source>Recordings and models (*.arenascope *.pftrace *.perfetto-trace *.json *.pickle *.onnx *.gguf);;All files (*)</source>
        <translation>记录和模型 (*.arenascope *.pftrace *.perfetto-trace *.json *.pickle *.onnx *.gguf);;所有文件 (*)</translation>
    </message>
    <message>
        <source>First open the file to compare with in another tab.</source>
        <translation>请先在另一个标签页打开要比较的文件。</translation>
    </message>
    <message>
        <source>%1 before</source>
        <translation>%1（之前）</translation>
    </message>
    <message>
        <source>Open a model or a recording</source>
        <translation>打开模型或记录</translation>
    </message>
    <message>
        <source>Save the recording</source>
        <translation>保存记录</translation>
    </message>
    <message>
        <source>Recordings (*.arenascope)</source>
        <translation>记录 (*.arenascope)</translation>
    </message>
    <message>
        <source>The recording was saved to %1.</source>
        <translation>记录已保存到 %1。</translation>
    </message>
    <message>
        <source>Save as</source>
        <translation>另存为</translation>
    </message>
    <message>
        <source>Chrome trace (*.json);;Spans (*.csv);;Memory (*.memory.csv);;Text (*.txt)</source>
        <translation>Chrome 跟踪 (*.json);;区间 (*.csv);;内存 (*.memory.csv);;文本 (*.txt)</translation>
    </message>
    <message>
        <source>Save a picture of %1</source>
        <translation>保存“%1”的图片</translation>
    </message>
    <message>
        <source>Pictures (*.png *.svg *.pdf)</source>
        <translation>图片 (*.png *.svg *.pdf)</translation>
    </message>
    <message>
        <source>The picture was saved to %1.</source>
        <translation>图片已保存到 %1。</translation>
    </message>
    <message>
        <source>%1 has no table.</source>
        <translation>%1 没有表格。</translation>
    </message>
    <message>
        <source>Save the table %1</source>
        <translation>保存表格“%1”</translation>
    </message>
    <message>
        <source>Tables (*.csv)</source>
        <translation>表格 (*.csv)</translation>
    </message>
    <message>
        <source>The table was saved to %1.</source>
        <translation>表格已保存到 %1。</translation>
    </message>
    <message>
        <source>Save the graph</source>
        <translation>保存计算图</translation>
    </message>
    <message>
        <source>%1 cannot be written.</source>
        <translation>无法写入 %1。</translation>
    </message>
    <message>
        <source>This plan needs changes to the graph, such as in-place ops, and cannot be run as it is. Change Run Settings and reopen the model.</source>
        <translation>此规划需要改动计算图（如原地算子），不能直接运行。请更改运行设置并重新打开模型。</translation>
    </message>
    <message>
        <source>Export the plan</source>
        <translation>导出规划</translation>
    </message>
    <message>
        <source>Plans (*.json *.csv)</source>
        <translation>规划 (*.json *.csv)</translation>
    </message>
    <message>
        <source>The plan was exported to %1.</source>
        <translation>规划已导出到 %1。</translation>
    </message>
    <message>
        <source>Save the Layout</source>
        <translation>保存布局</translation>
    </message>
    <message>
        <source>Name of the layout:</source>
        <translation>布局名称：</translation>
    </message>
    <message>
        <source>My layout</source>
        <translation>我的布局</translation>
    </message>
    <message>
        <source>The layout “%1” was saved by another version and cannot be restored.</source>
        <translation>布局“%1”由其他版本保存，无法恢复。</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>The layout “%1” was saved. It is listed in View ▸ My Layouts.</source>
        <translation>布局“%1”已保存，列于 视图 ▸ 我的布局。</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>快捷键</translation>
    </message>
    <message>
        <source>Filter</source>
        <translation>筛选</translation>
    </message>
    <message>
        <source>Menu</source>
        <translation>菜单</translation>
    </message>
    <message>
        <source>Action</source>
        <translation>操作</translation>
    </message>
    <message>
        <source>Preferences</source>
        <translation>首选项</translation>
    </message>
    <message>
        <source>Open a Built-in Model</source>
        <translation>打开内置模型</translation>
    </message>
    <message>
        <source>Input Shapes</source>
        <translation>输入形状</translation>
    </message>
    <message>
        <source>These dimensions are dynamic. Your values are saved for this file.</source>
        <translation>这些维度是动态的。所填的值会为该文件保存。</translation>
    </message>
    <message>
        <source>Play a lesson</source>
        <translation>播放课程</translation>
    </message>
    <message>
        <source>Lessons (*.md);;All files (*)</source>
        <translation>课程 (*.md);;所有文件 (*)</translation>
    </message>
    <message>
        <source>Save the draft of a lesson</source>
        <translation>保存课程草稿</translation>
    </message>
    <message>
        <source>Lessons (*.md)</source>
        <translation>课程 (*.md)</translation>
    </message>
    <message>
        <source>%1 was saved as a lesson draft. Edit its text, then play it again.</source>
        <translation>%1 已保存为课程草稿。编辑其文字后再播放。</translation>
    </message>
    <message>
        <source>Export the lesson</source>
        <translation>导出本课</translation>
    </message>
    <message>
        <source>Web page (*.html);;PDF (*.pdf)</source>
        <translation>网页 (*.html);;PDF (*.pdf)</translation>
    </message>
    <message>
        <source>The lesson was exported to %1.</source>
        <translation>本课已导出到 %1。</translation>
    </message>
    <message>
        <source>Pin a Note</source>
        <translation>固定注释</translation>
    </message>
    <message>
        <source>Note at this point (leave empty to delete it):</source>
        <translation>此处的注释（留空则删除）：</translation>
    </message>
    <message>
        <source>Open a model to plan its memory</source>
        <translation>打开模型以规划其内存</translation>
    </message>
    <message>
        <source>Models (*.onnx *.gguf);;All files (*)</source>
        <translation>模型 (*.onnx *.gguf);;所有文件 (*)</translation>
    </message>
    <message numerus="yes">
        <source>%n older message(s) dropped</source>
        <translation>
            <numerusform>已丢弃 %n 条较早的消息</numerusform>
        </translation>
    </message>
    <message>
        <source>Message Log</source>
        <translation>消息日志</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>错误</translation>
    </message>
    <message>
        <source>Warning</source>
        <translation>警告</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>提示</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>类别</translation>
    </message>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Message</source>
        <translation>消息</translation>
    </message>
    <message>
        <source>Models and recordings (*.onnx *.gguf *.arenascope *.pftrace *.perfetto-trace *.json *.json.gz *.pickle *.etdp *.pte *.jsonl *.dot *.gv *.csv);;All files (*)</source>
        <translation>模型和记录 (*.onnx *.gguf *.arenascope *.pftrace *.perfetto-trace *.json *.json.gz *.pickle *.etdp *.pte *.jsonl *.dot *.gv *.csv);;所有文件 (*)</translation>
    </message>
    <message>
        <source>Graphviz (*.dot);;SVG by Graphviz (*.svg);;PDF by Graphviz (*.pdf)</source>
        <translation>Graphviz (*.dot);;Graphviz 生成的 SVG (*.svg);;Graphviz 生成的 PDF (*.pdf)</translation>
    </message>
    <message>
        <source>The graph was saved as %1.</source>
        <translation>图已保存为 %1。</translation>
    </message>
    <message>
        <source>Note for the selected range (leave empty to delete it):</source>
        <translation>所选范围的注释（留空则删除）：</translation>
    </message>
</context>
<context>
    <name>arenascope::app::StatusWidget</name>
    <message>
        <source>running</source>
        <translation>运行中</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>ready</source>
        <translation>就绪</translation>
    </message>
    <message>
        <source>opening</source>
        <translation>正在打开</translation>
    </message>
    <message>
        <source>recording</source>
        <translation>记录</translation>
    </message>
    <message>
        <source>planned only</source>
        <translation>仅规划</translation>
    </message>
    <message>
        <source>nothing open</source>
        <translation>未打开</translation>
    </message>
    <message>
        <source>lost %1</source>
        <translation>丢失 %1</translation>
    </message>
    <message>
        <source>Events lost because a ring buffer was full</source>
        <translation>因环形缓冲区已满而丢失的事件</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>Size of the recording. Beyond the limit the oldest runs are discarded: Edit ▸ Preferences</source>
        <translation>记录的大小。超出上限时丢弃最早的运行：编辑 ▸ 首选项</translation>
    </message>
    <message numerus="yes">
        <source>%n unread message(s): open the message log</source>
        <translation>
            <numerusform>%n 条未读消息：打开消息日志</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n device(s)</source>
        <translation>
            <numerusform>%n 个设备</numerusform>
        </translation>
    </message>
    <message>
        <source>graph only</source>
        <translation>仅计算图</translation>
    </message>
</context>
<context>
    <name>arenascope::app::StepSlider</name>
    <message>
        <source>Step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>Peak at step %1: %2 live</source>
        <translation>峰值在第 %1 步：存活 %2</translation>
    </message>
</context>
<context>
    <name>arenascope::app::TextPanel</name>
    <message>
        <source>Prefill: %1 tok/s</source>
        <translation>预填充：%1 token/s</translation>
    </message>
    <message>
        <source>Decode: %1 tok/s</source>
        <translation>解码：%1 token/s</translation>
    </message>
    <message>
        <source>End of text.</source>
        <translation>文本结束。</translation>
    </message>
    <message>
        <source>The model is being prepared…</source>
        <translation>正在准备模型…</translation>
    </message>
    <message>
        <source>Type a prompt above.</source>
        <translation>请在上方输入提示词。</translation>
    </message>
    <message>
        <source>Open a language model (GGUF) to generate text.</source>
        <translation>打开语言模型（GGUF 文件）以生成文本。</translation>
    </message>
    <message>
        <source>Click a token to see its candidates and its position in the KV cache.</source>
        <translation>点击词元，查看其候选和在 KV 缓存中的位置。</translation>
    </message>
    <message>
        <source>Token %1 &apos;%2&apos; at position %3</source>
        <translation>词元 %1 “%2”，位置 %3</translation>
    </message>
    <message>
        <source>row %1 of the KV cache</source>
        <translation>KV 缓存第 %1 行</translation>
    </message>
    <message>
        <source>run %1</source>
        <translation>第 %1 次运行</translation>
    </message>
    <message>
        <source>steps 1 to %1</source>
        <translation>步 1 至 %1</translation>
    </message>
    <message>
        <source>not computed yet</source>
        <translation>尚未计算</translation>
    </message>
    <message>
        <source>Position</source>
        <translation>位置</translation>
    </message>
    <message>
        <source>Token</source>
        <translation>词元</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>文本</translation>
    </message>
    <message>
        <source>KV cache row</source>
        <translation>KV 缓存行</translation>
    </message>
    <message>
        <source>Logit</source>
        <translation>logit</translation>
    </message>
    <message>
        <source>Probability</source>
        <translation>概率</translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation>提示词</translation>
    </message>
    <message>
        <source>&amp;Chat</source>
        <translation>对话(&amp;C)</translation>
    </message>
    <message>
        <source>Wrap the prompt as a user message in the chat template of the file.</source>
        <translation>用文件的对话模板把提示词作为用户消息。</translation>
    </message>
    <message>
        <source>Number of tokens</source>
        <translation>词元数</translation>
    </message>
    <message>
        <source>&amp;Generate</source>
        <translation>生成(&amp;G)</translation>
    </message>
    <message>
        <source>S&amp;top</source>
        <translation>停止(&amp;T)</translation>
    </message>
    <message>
        <source>C&amp;ontinue</source>
        <translation>继续(&amp;O)</translation>
    </message>
    <message>
        <source>Generated text by token</source>
        <translation>按词元显示的生成文本</translation>
    </message>
    <message>
        <source>Most likely tokens</source>
        <translation>最可能的词元</translation>
    </message>
</context>
<context>
    <name>arenascope::app::TrainingPanel</name>
    <message>
        <source>epoch %1</source>
        <translation>第 %1 轮</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 秒</translation>
    </message>
    <message>
        <source>The training is being prepared…</source>
        <translation>正在准备训练…</translation>
    </message>
    <message>
        <source>Enter training data: IMAGES,LABELS (IDX), or for language models a token file or sort:SEED.</source>
        <translation>请输入训练数据：IMAGES,LABELS（IDX）；语言模型可用词元文件或 sort:SEED。</translation>
    </message>
    <message>
        <source>Open a model to train it.</source>
        <translation>打开一个模型进行训练。</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>损失</translation>
    </message>
    <message>
        <source>Accuracy</source>
        <translation>准确率</translation>
    </message>
    <message>
        <source>Gradient of %1</source>
        <translation>%1 的梯度</translation>
    </message>
    <message>
        <source>IMAGES,LABELS or sort:SEED</source>
        <translation>IMAGES,LABELS 或 sort:SEED</translation>
    </message>
    <message>
        <source>Training data</source>
        <translation>训练数据</translation>
    </message>
    <message>
        <source>&amp;Train</source>
        <translation>训练(&amp;T)</translation>
    </message>
    <message>
        <source>S&amp;top</source>
        <translation>停止(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Memory Frontier</source>
        <translation>内存—计算帕累托前沿(&amp;M)</translation>
    </message>
    <message>
        <source>Compute how much memory recomputing activations saves and what it costs. The slider selects the arena size for training.</source>
        <translation>计算重计算激活值可节省多少内存及其代价。滑块选择训练所用的内存区大小。</translation>
    </message>
    <message>
        <source>Arena size</source>
        <translation>内存区大小</translation>
    </message>
    <message>
        <source>Loss, accuracy and gradient norms</source>
        <translation>损失、准确率和梯度范数</translation>
    </message>
    <message>
        <source>Arena size against operations</source>
        <translation>内存区大小与运算量</translation>
    </message>
    <message>
        <source>&amp;Options</source>
        <translation>选项(&amp;O)</translation>
    </message>
    <message>
        <source>Loss, schedule, precision and other training options</source>
        <translation>损失、调度、精度及其他训练选项</translation>
    </message>
</context>
<context>
    <name>arenascope::app::ValueReader</name>
    <message>
        <source>Not computed yet.</source>
        <translation>尚未计算。</translation>
    </message>
    <message>
        <source>This memory has been reused. Pause right after this node to see its values.</source>
        <translation>此内存已被复用。在该节点之后立即暂停即可查看数值。</translation>
    </message>
    <message>
        <source>Unknown tensor.</source>
        <translation>未知张量。</translation>
    </message>
    <message>
        <source>Values of this type cannot be shown.</source>
        <translation>无法显示此类型的数值。</translation>
    </message>
    <message>
        <source>The tensor has no memory at this point.</source>
        <translation>该张量此时没有内存。</translation>
    </message>
</context>
<context>
    <name>arenascope::app::WelcomePage</name>
    <message>
        <source>Memory visualizer, profiler and step debugger for tensor programs</source>
        <translation>张量程序的内存可视化、性能分析与单步调试工具</translation>
    </message>
    <message>
        <source>Or drop a model, a recording, a trace of another tool or a CSV of buffers here.</source>
        <translation>也可将模型、记录、其他工具的跟踪或缓冲区 CSV 拖放到此处。</translation>
    </message>
    <message>
        <source>Recent</source>
        <translation>最近打开</translation>
    </message>
    <message>
        <source>Built-in models</source>
        <translation>内置模型</translation>
    </message>
    <message>
        <source>Lessons</source>
        <translation>课程</translation>
    </message>
</context>
<context>
    <name>arenascope::app::WindowSession</name>
    <message>
        <source>%1 was not reopened: the program ended while it was being opened.</source>
        <translation>未重新打开 %1：程序在打开它时意外结束。</translation>
    </message>
</context>
<context>
    <name>arenascope::views::ArenaColourNames</name>
    <message numerus="yes">
        <source>%n step(s)</source>
        <translation>
            <numerusform>%n 步</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n other(s)</source>
        <translation>
            <numerusform>其他 %n 个</numerusform>
        </translation>
    </message>
    <message>
        <source>result (adjacent results in different tints)</source>
        <translation>结果（相邻者深浅不同）</translation>
    </message>
    <message>
        <source>input</source>
        <translation>输入</translation>
    </message>
    <message>
        <source>output</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>weight</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>view</source>
        <translation>视图</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>类别</translation>
    </message>
    <message>
        <source>Op</source>
        <translation>算子</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>层</translation>
    </message>
    <message>
        <source>Lifetime length</source>
        <translation>生命周期长度</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>Node time</source>
        <translation>节点时间</translation>
    </message>
</context>
<context>
    <name>arenascope::views::ArenaView</name>
    <message>
        <source>loops and branches in this plan</source>
        <translation>循环与分支在此规划中</translation>
    </message>
    <message numerus="yes">
        <source>%n deferred operator(s)</source>
        <translation>
            <numerusform>%n 个延迟算子</numerusform>
        </translation>
    </message>
    <message>
        <source>planned with shapes from the preceding run</source>
        <translation>按前一次运行得到的形状规划</translation>
    </message>
    <message>
        <source>address observed; begin and end derived from the spans and the plan</source>
        <translation>地址为实测；起止时间由区间与规划推导</translation>
    </message>
    <message>
        <source>arena %1</source>
        <translation>内存区 %1</translation>
    </message>
    <message>
        <source>planner %1</source>
        <translation>规划器 %1</translation>
    </message>
    <message>
        <source>holes up to %1</source>
        <translation>最大空洞 %1</translation>
    </message>
    <message numerus="yes">
        <source>%n tensor(s) outside the plan</source>
        <translation>
            <numerusform>%n 个张量偏离规划</numerusform>
        </translation>
    </message>
    <message>
        <source>planned</source>
        <translation>规划</translation>
    </message>
    <message>
        <source>new block</source>
        <translation>新内存块</translation>
    </message>
    <message>
        <source>hole</source>
        <translation>空洞</translation>
    </message>
    <message>
        <source>input</source>
        <translation>输入</translation>
    </message>
    <message>
        <source>output</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>previous plan</source>
        <translation>上一个规划</translation>
    </message>
    <message>
        <source>hole of %1
address %2 to %3</source>
        <translation>空洞 %1
地址 %2 至 %3</translation>
    </message>
    <message>
        <source>free
address %1</source>
        <translation>空闲
地址 %1</translation>
    </message>
    <message>
        <source>accessed bytes outside its planned range</source>
        <translation>访问了规划区间以外的字节</translation>
    </message>
    <message>
        <source>Arena map</source>
        <translation>内存区地图</translation>
    </message>
    <message>
        <source>B: compared with</source>
        <translation>B：比较对象</translation>
    </message>
    <message>
        <source>B: up to %1</source>
        <translation>B：最高 %1</translation>
    </message>
    <message>
        <source>B: reserved up to %1</source>
        <translation>B：最多预留 %1</translation>
    </message>
    <message numerus="yes">
        <source>%n tensor(s)</source>
        <translation>
            <numerusform>%n 个张量</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n block(s)</source>
        <translation>
            <numerusform>%n 个内存块</numerusform>
        </translation>
    </message>
    <message>
        <source>observed</source>
        <translation>实测</translation>
    </message>
    <message>
        <source>addresses observed, times derived</source>
        <translation>地址实测，时间推导</translation>
    </message>
    <message>
        <source>Address Space</source>
        <translation>地址空间</translation>
    </message>
    <message>
        <source>peak %1</source>
        <translation>峰值 %1</translation>
    </message>
    <message>
        <source>reserved up to %1</source>
        <translation>最多预留 %1</translation>
    </message>
    <message>
        <source>reserved memory not recorded</source>
        <translation>未记录预留内存</translation>
    </message>
    <message>
        <source>up to %1 free in spaces</source>
        <translation>空间中最多空闲 %1</translation>
    </message>
    <message>
        <source>up to %1 at unknown addresses, not drawn</source>
        <translation>最多 %1 地址未知，未绘制</translation>
    </message>
    <message>
        <source>free</source>
        <translation>空闲</translation>
    </message>
    <message>
        <source>waste</source>
        <translation>浪费</translation>
    </message>
    <message>
        <source>weight</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>free in a space of %1
%2 · address %3</source>
        <translation>空间中的空闲部分，空间共 %1
%2 · 地址 %3</translation>
    </message>
    <message>
        <source>No memory plan and no allocations at known addresses.</source>
        <translation>没有内存规划，也没有已知地址的分配。</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>Show Plan Requirement</source>
        <translation>显示规划所需内存</translation>
    </message>
    <message>
        <source>plan would need %1</source>
        <translation>规划需要 %1</translation>
    </message>
    <message>
        <source>Colour by</source>
        <translation>着色依据</translation>
    </message>
    <message>
        <source>image of %1</source>
        <translation>图像 %1</translation>
    </message>
    <message>
        <source>in use %1</source>
        <translation>使用中 %1</translation>
    </message>
    <message>
        <source>reserved %1</source>
        <translation>已预留 %1</translation>
    </message>
    <message>
        <source>%1 free in spaces</source>
        <translation>空间中空闲 %1</translation>
    </message>
</context>
<context>
    <name>arenascope::views::Breadcrumbs</name>
    <message>
        <source>All</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>block %1</source>
        <translation>内存块 %1</translation>
    </message>
    <message>
        <source>steps %1 to %2</source>
        <translation>第 %1 至 %2 步</translation>
    </message>
    <message>
        <source>bytes %1 to %2</source>
        <translation>字节 %1 至 %2</translation>
    </message>
    <message>
        <source>Selection path</source>
        <translation>选择路径</translation>
    </message>
    <message>
        <source>Click a level to select and frame it</source>
        <translation>点击某一级以选中并缩放到它</translation>
    </message>
    <message>
        <source>%1 of time</source>
        <translation>时间范围 %1</translation>
    </message>
    <message>
        <source>allocation at %1</source>
        <translation>%1 处的分配</translation>
    </message>
</context>
<context>
    <name>arenascope::views::ColourBox</name>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Op</source>
        <translation>算子</translation>
    </message>
    <message>
        <source>Backend</source>
        <translation>后端</translation>
    </message>
    <message>
        <source>Mean time</source>
        <translation>平均时间</translation>
    </message>
    <message>
        <source>Bytes</source>
        <translation>字节数</translation>
    </message>
    <message>
        <source>Block</source>
        <translation>内存块</translation>
    </message>
    <message>
        <source>Difference of B</source>
        <translation>与 B 的差异</translation>
    </message>
    <message>
        <source>Graph colouring</source>
        <translation>计算图着色</translation>
    </message>
    <message>
        <source>Colour by</source>
        <translation>着色依据</translation>
    </message>
</context>
<context>
    <name>arenascope::views::Export</name>
    <message>
        <source>cannot write the image %1: %2</source>
        <translation>无法写入图像 %1：%2</translation>
    </message>
    <message>
        <source>width and height must be 16 to 20000 pixels, at most 32000 after scaling</source>
        <translation>宽和高必须为 16 到 20000 像素，缩放后不超过 32000</translation>
    </message>
    <message>
        <source>the file name must end in .png, .svg or .pdf</source>
        <translation>文件名必须以 .png、.svg 或 .pdf 结尾</translation>
    </message>
    <message>
        <source>rendering failed</source>
        <translation>渲染失败</translation>
    </message>
</context>
<context>
    <name>Findings</name>
    <message>
        <source>, </source>
        <translation>、</translation>
    </message>
    <message numerus="yes">
        <source> and %n more</source>
        <translation>
            <numerusform> 等，另有 %n 个</numerusform>
        </translation>
    </message>
    <message>
        <source>thread %1</source>
        <translation>线程 %1</translation>
    </message>
    <message numerus="yes">
        <source>At the peak, step %1, %2 are live in %n tensor(s): %3.</source>
        <translation>
            <numerusform>峰值在第 %1 步，共 %2 存活于 %n 个张量：%3。</numerusform>
        </translation>
    </message>
    <message>
        <source>Execution order %1 reduces the arena by %2.</source>
        <translation>执行顺序 %1 使内存区减小 %2。</translation>
    </message>
    <message>
        <source>Planner %1 reduces the arena by %2 for the same execution order.</source>
        <translation>在相同的执行顺序下，规划器 %1 使内存区减小 %2。</translation>
    </message>
    <message numerus="yes">
        <source>Running %n eligible op(s) in place would reduce the arena by %1.</source>
        <translation>
            <numerusform>让 %n 个可原地执行的算子原地执行，可使内存区减小 %1。</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 is the last user of %2: running it in place reduces the arena by %3.</source>
        <translation>%1 是 %2 的最后使用者：原地执行可使内存区减小 %3。</translation>
    </message>
    <message>
        <source>An alignment of %1 bytes instead of %2 saves %3 of padding.</source>
        <translation>对齐用 %1 字节而不是 %2 字节，可省去 %3 的填充。</translation>
    </message>
    <message>
        <source>%1 is idle for %2 steps around the peak: rematerialising it afterwards reduces the arena by %3.</source>
        <translation>%1 在峰值前后有 %2 步闲置：之后重计算它可使内存区减小 %3。</translation>
    </message>
    <message numerus="yes">
        <source>%n tensor(s) are idle around the peak: rematerialising them afterwards reduces the arena by %1 (%2).</source>
        <translation>
            <numerusform>有 %n 个张量在峰值前后闲置：之后重计算它们可使内存区减小 %1（%2）。</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 is idle for %2 steps around the peak: offloading it to the host and reloading it, %3 in total, reduces the arena by %4.</source>
        <translation>%1 在峰值前后有 %2 步闲置：把它换出到主机再换入（共 %3）可使内存区减小 %4。</translation>
    </message>
    <message numerus="yes">
        <source>%n tensor(s) are idle around the peak: offloading them to the host and reloading them, %1 in total, reduces the arena by %2 (%3).</source>
        <translation>
            <numerusform>有 %n 个张量在峰值前后闲置：把它们换出到主机再换入（共 %1）可使内存区减小 %2（%3）。</numerusform>
        </translation>
    </message>
    <message>
        <source>The inputs of %1 could be computed directly into its result: this avoids copying %2 and reduces the arena by %3.</source>
        <translation>%1 的输入可以直接计算到其结果中：少复制 %2，内存区可减小 %3。</translation>
    </message>
    <message>
        <source>%1 copies %2 that are already contiguous: removing it reduces the arena by %3.</source>
        <translation>%1 复制了 %2 已经连续的数据：去掉它可使内存区减小 %3。</translation>
    </message>
    <message>
        <source>%1 copies %2 that are already contiguous.</source>
        <translation>%1 复制了 %2 已经连续的数据。</translation>
    </message>
    <message numerus="yes">
        <source>At the peak, %1 of the arena (%2) is in %n hole(s); above them: %3.</source>
        <translation>
            <numerusform>峰值时内存区有 %1（%2）在 %n 个空洞中；其上方是：%3。</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 is the last arriver at %2 of the barriers; the other threads wait %3 per run for it.</source>
        <translation>%1 在 %2 的屏障处是最后到达者；其他线程每次运行为它等待 %3。</translation>
    </message>
    <message numerus="yes">
        <source>At the barrier after %1, threads idle %2 of their time, %3 per run in total; the node is split into %n chunk(s).</source>
        <translation>
            <numerusform>在 %1 之后的屏障处，线程有 %2 的时间空闲，每次运行合计 %3；该节点分为 %n 个分块。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 is copied between devices %n time(s) per run; copying it once would save %2.</source>
        <translation>
            <numerusform>%1 每次运行在设备之间复制 %n 次；只复制一次可省 %2。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>At the peak, after %1, %2 are allocated in %n block(s): %3.</source>
        <translation>
            <numerusform>峰值时（%1 之后），共分配 %2，分在 %n 个内存块中：%3。</numerusform>
        </translation>
    </message>
    <message>
        <source>Up to %1 was reserved but unused at once, %2 of the peak reservation.</source>
        <translation>同时最多有 %1 已预留但未使用，占预留峰值的 %2。</translation>
    </message>
    <message numerus="yes">
        <source>At the peak, %1 of the allocated memory (%2) is rounding overhead in %n block(s): %3.</source>
        <translation>
            <numerusform>峰值时，已分配内存中有 %1（%2）是取整开销，位于 %n 个内存块中：%3。</numerusform>
        </translation>
    </message>
    <message>
        <source>A plan of the same lifetimes needs %1 (planner %2), %3 less than was reserved.</source>
        <translation>对同样的生命周期做规划需要 %1（规划器 %2），比预留的少 %3。</translation>
    </message>
</context>
<context>
    <name>arenascope::views::FindingsModel</name>
    <message>
        <source>Saving</source>
        <translation>节省</translation>
    </message>
    <message>
        <source>Finding</source>
        <translation>优化建议</translation>
    </message>
    <message>
        <source>Arena bytes saved, measured by replanning, or time saved per run; — for information only</source>
        <translation>由重新规划测得的内存区节省字节数，或每次运行节省的时间；— 表示仅供参考</translation>
    </message>
</context>
<context>
    <name>arenascope::views::FindingsSearch</name>
    <message>
        <source>Searching for savings…</source>
        <translation>正在查找可节省之处…</translation>
    </message>
</context>
<context>
    <name>arenascope::views::FindingsView</name>
    <message>
        <source>Show</source>
        <translation>显示</translation>
    </message>
    <message>
        <source>Select it in every view</source>
        <translation>在所有视图中选中它</translation>
    </message>
    <message>
        <source>What if</source>
        <translation>假如</translation>
    </message>
    <message>
        <source>Show the resulting plan over the current one</source>
        <translation>把得到的规划叠加在当前规划之上</translation>
    </message>
    <message>
        <source>Replanning…</source>
        <translation>正在重新规划…</translation>
    </message>
    <message numerus="yes">
        <source>%n finding(s)</source>
        <translation>
            <numerusform>%n 条优化建议</numerusform>
        </translation>
    </message>
    <message>
        <source>Searching for savings…</source>
        <translation>正在查找优化建议…</translation>
    </message>
    <message>
        <source>Nothing is open.</source>
        <translation>没有打开任何内容。</translation>
    </message>
    <message>
        <source>Search Again</source>
        <translation>重新查找</translation>
    </message>
    <message>
        <source>Search the current plan and run for savings</source>
        <translation>在当前规划和运行中查找优化建议</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Time limit</source>
        <translation>时间上限</translation>
    </message>
    <message>
        <source> s</source>
        <translation> 秒</translation>
    </message>
    <message>
        <source>Search time limit in seconds</source>
        <translation>查找时间上限（秒）</translation>
    </message>
    <message>
        <source>Findings</source>
        <translation>优化建议</translation>
    </message>
    <message>
        <source>No findings: there is no graph to replan.</source>
        <translation>没有优化建议：没有可以重新规划的计算图。</translation>
    </message>
    <message>
        <source>Not searched yet.</source>
        <translation>尚未查找。</translation>
    </message>
    <message>
        <source>No findings.</source>
        <translation>没有优化建议。</translation>
    </message>
</context>
<context>
    <name>arenascope::views::FlameCanvas</name>
    <message>
        <source>not in B</source>
        <translation>B 中没有</translation>
    </message>
    <message>
        <source>as in B</source>
        <translation>与 B 相同</translation>
    </message>
    <message>
        <source>total %1</source>
        <translation>合计 %1</translation>
    </message>
    <message>
        <source>self %1</source>
        <translation>自身 %1</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>占 %2 的 %1</translation>
    </message>
    <message>
        <source>in B %1: %2</source>
        <translation>B 中 %1：%2</translation>
    </message>
    <message numerus="yes">
        <source>%n narrow frame(s)</source>
        <translation>
            <numerusform>%n 个窄帧</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>arenascope::views::FlameText</name>
    <message>
        <source>Live bytes at the peak</source>
        <translation>峰值时的存活字节</translation>
    </message>
    <message>
        <source>Allocated bytes</source>
        <translation>已分配字节</translation>
    </message>
    <message>
        <source>Time of spans</source>
        <translation>区间时间</translation>
    </message>
    <message>
        <source>Time of nodes</source>
        <translation>节点时间</translation>
    </message>
    <message>
        <source>Barrier waits</source>
        <translation>屏障等待</translation>
    </message>
    <message>
        <source>Floating-point operations</source>
        <translation>浮点计算次数</translation>
    </message>
    <message>
        <source>all</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>no call stack</source>
        <translation>无调用栈</translation>
    </message>
    <message numerus="yes">
        <source>%n allocation(s)</source>
        <translation>
            <numerusform>%n 次分配</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n span(s)</source>
        <translation>
            <numerusform>%n 个区间</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n node(s)</source>
        <translation>
            <numerusform>%n 个节点</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>arenascope::views::FlameView</name>
    <message>
        <source>no match</source>
        <translation>无匹配</translation>
    </message>
    <message>
        <source>Weight of the flame graph</source>
        <translation>火焰图的权重</translation>
    </message>
    <message>
        <source>The width of a frame</source>
        <translation>帧的宽度</translation>
    </message>
    <message>
        <source>Icicle</source>
        <translation>冰柱图</translation>
    </message>
    <message>
        <source>Callers above their callees; a flame graph has them below</source>
        <translation>调用者位于被调用者上方；火焰图则位于下方</translation>
    </message>
    <message>
        <source>Highlight frames</source>
        <translation>高亮帧</translation>
    </message>
    <message>
        <source>Highlight frames whose name contains this text</source>
        <translation>高亮名称包含此文本的帧</translation>
    </message>
    <message>
        <source>Path of the zoomed frame</source>
        <translation>缩放到的帧的路径</translation>
    </message>
    <message>
        <source>Flame Graph</source>
        <translation>火焰图</translation>
    </message>
    <message>
        <source>Frames as boxes as wide as their weight. The table has the same content.</source>
        <translation>以方框表示帧，宽度为其权重。表格内容相同。</translation>
    </message>
    <message>
        <source>This file contains no call stacks, spans or times of nodes.</source>
        <translation>此文件不包含调用栈、区间或节点时间。</translation>
    </message>
    <message>
        <source>more than in B</source>
        <translation>多于 B</translation>
    </message>
    <message>
        <source>less than in B</source>
        <translation>少于 B</translation>
    </message>
    <message>
        <source>Zoom to Frame</source>
        <translation>缩放到帧</translation>
    </message>
    <message>
        <source>Reset Zoom</source>
        <translation>重置缩放</translation>
    </message>
    <message>
        <source>Copy Folded Stacks</source>
        <translation>复制折叠栈</translation>
    </message>
    <message>
        <source>Copy Frames as CSV</source>
        <translation>将帧复制为 CSV</translation>
    </message>
    <message numerus="yes">
        <source>%n frame(s), %1</source>
        <translation>
            <numerusform>%n 帧，%1</numerusform>
        </translation>
    </message>
    <message>
        <source>Library Frames</source>
        <translation>库的帧</translation>
    </message>
    <message>
        <source>Frames of PyTorch, the interpreter and the C and C++ libraries</source>
        <translation>PyTorch、解释器以及 C 和 C++ 库的帧</translation>
    </message>
    <message>
        <source>Selected range only  ✕</source>
        <translation>仅所选范围  ✕</translation>
    </message>
    <message>
        <source>Show all frames again</source>
        <translation>重新显示全部帧</translation>
    </message>
</context>
<context>
    <name>arenascope::views::GraphCanvas</name>
    <message>
        <source>Graph</source>
        <translation>计算图</translation>
    </message>
    <message>
        <source>The network as boxes and arrows. The “Nodes” table has the same content.</source>
        <translation>以方框和箭头表示的网络。“节点”表内容相同。</translation>
    </message>
    <message>
        <source>This graph has no nodes.</source>
        <translation>此图没有节点。</translation>
    </message>
    <message>
        <source>Double click to expand</source>
        <translation>双击展开</translation>
    </message>
    <message>
        <source>This file contains no graph.</source>
        <translation>此文件不包含计算图。</translation>
    </message>
    <message>
        <source>only in B: %1</source>
        <translation>仅在 B 中：%1</translation>
    </message>
    <message numerus="yes">
        <source>%n node(s)</source>
        <translation>
            <numerusform>%n 个节点</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>arenascope::views::GraphSearch</name>
    <message>
        <source>Search names and ops</source>
        <translation>搜索名称和算子</translation>
    </message>
    <message>
        <source>Search the graph</source>
        <translation>搜索计算图</translation>
    </message>
    <message>
        <source>Return: next match, Shift+Return: previous match (Ctrl+F)</source>
        <translation>回车：下一个匹配；Shift+回车：上一个匹配 (Ctrl+F)</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
</context>
<context>
    <name>arenascope::views::GraphView</name>
    <message>
        <source>column not available</source>
        <translation>此列不可用</translation>
    </message>
    <message numerus="yes">
        <source>%n other(s)</source>
        <translation>
            <numerusform>其他 %n 种</numerusform>
        </translation>
    </message>
    <message>
        <source>done</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>running</source>
        <translation>运行中</translation>
    </message>
    <message>
        <source>pending</source>
        <translation>未执行</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Mean time</source>
        <translation>平均时间</translation>
    </message>
    <message>
        <source>Bytes</source>
        <translation>字节数</translation>
    </message>
    <message>
        <source>Op</source>
        <translation>算子</translation>
    </message>
    <message>
        <source>Backend</source>
        <translation>后端</translation>
    </message>
    <message>
        <source>block %1</source>
        <translation>内存块 %1</translation>
    </message>
    <message>
        <source>Block</source>
        <translation>内存块</translation>
    </message>
    <message>
        <source>Nodes %1</source>
        <translation>节点 %1</translation>
    </message>
    <message numerus="yes">
        <source>%n node(s)</source>
        <translation>
            <numerusform>%n 个节点</numerusform>
        </translation>
    </message>
    <message>
        <source>Laying out the graph…</source>
        <translation>正在布局…</translation>
    </message>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Show the nodes of the model file, with If, Loop and Scan bodies and local functions</source>
        <translation>显示模型文件的节点，包括 If、Loop、Scan 的子图和本地函数</translation>
    </message>
    <message>
        <source>Difference of B</source>
        <translation>与 B 的差异</translation>
    </message>
    <message>
        <source>no comparison</source>
        <translation>没有比较对象</translation>
    </message>
    <message>
        <source>slower in B</source>
        <translation>B 中更慢</translation>
    </message>
    <message>
        <source>larger in B</source>
        <translation>B 中更大</translation>
    </message>
    <message>
        <source>faster in B</source>
        <translation>B 中更快</translation>
    </message>
    <message>
        <source>smaller in B</source>
        <translation>B 中更小</translation>
    </message>
    <message>
        <source>the same</source>
        <translation>相同</translation>
    </message>
    <message>
        <source>only in A</source>
        <translation>仅在 A 中</translation>
    </message>
    <message numerus="yes">
        <source>%n node(s) only in B</source>
        <translation>
            <numerusform>%n 个节点仅在 B 中</numerusform>
        </translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>The layout was cancelled.</source>
        <translation>布局已取消。</translation>
    </message>
</context>
<context>
    <name>arenascope::views::Incomplete</name>
    <message>
        <source>%1 events lost</source>
        <translation>丢失 %1 个事件</translation>
    </message>
    <message>
        <source>older events discarded</source>
        <translation>较早的事件已被丢弃</translation>
    </message>
    <message>
        <source>aborted</source>
        <translation>已中止</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>stepped through</source>
        <translation>单步执行过</translation>
    </message>
</context>
<context>
    <name>arenascope::views::Inspector</name>
    <message>
        <source>reserved and untouched</source>
        <translation>已预留但未触及</translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>另有 %n 个</numerusform>
        </translation>
    </message>
    <message>
        <source>Location in the arena</source>
        <translation>在内存区中的位置</translation>
    </message>
    <message>
        <source>bytes</source>
        <translation>字节</translation>
    </message>
    <message>
        <source>steps</source>
        <translation>步</translation>
    </message>
    <message>
        <source>block</source>
        <translation>内存块</translation>
    </message>
    <message>
        <source>reuse</source>
        <translation>复用</translation>
    </message>
    <message>
        <source>level %1</source>
        <translation>第 %1 级</translation>
    </message>
    <message>
        <source>in place of</source>
        <translation>原地取代</translation>
    </message>
    <message>
        <source>view of</source>
        <translation>视图来源</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>shortest, longest</source>
        <translation>最短、最长</translation>
    </message>
    <message>
        <source>barrier wait after it</source>
        <translation>其后的屏障等待</translation>
    </message>
    <message>
        <source>%1 per run, all threads</source>
        <translation>每次运行 %1（所有线程合计）</translation>
    </message>
    <message>
        <source>last at the barrier</source>
        <translation>最后到达屏障</translation>
    </message>
    <message>
        <source>usually last</source>
        <translation>通常最后</translation>
    </message>
    <message>
        <source>speed</source>
        <translation>速度</translation>
    </message>
    <message>
        <source>Tensor</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>shape</source>
        <translation>形状</translation>
    </message>
    <message>
        <source>type</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>strides</source>
        <translation>步长</translation>
    </message>
    <message>
        <source>Work</source>
        <translation>计算</translation>
    </message>
    <message>
        <source>parameters</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>backend</source>
        <translation>后端</translation>
    </message>
    <message>
        <source>tasks</source>
        <translation>任务数</translation>
    </message>
    <message>
        <source>none, it computes nothing</source>
        <translation>无，不做计算</translation>
    </message>
    <message>
        <source>work buffer</source>
        <translation>工作缓冲区</translation>
    </message>
    <message>
        <source>operations</source>
        <translation>运算量</translation>
    </message>
    <message>
        <source>layer</source>
        <translation>层</translation>
    </message>
    <message>
        <source>Inputs</source>
        <translation>输入</translation>
    </message>
    <message>
        <source>Users</source>
        <translation>使用者</translation>
    </message>
    <message>
        <source>Block %1</source>
        <translation>内存块 %1</translation>
    </message>
    <message numerus="yes">
        <source>%n tensor(s) in sequence</source>
        <translation>
            <numerusform>%n 个张量，先后使用</numerusform>
        </translation>
    </message>
    <message>
        <source>largest tensor</source>
        <translation>最大张量</translation>
    </message>
    <message>
        <source>Tensors</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>duration</source>
        <translation>时长</translation>
    </message>
    <message>
        <source>begin</source>
        <translation>开始</translation>
    </message>
    <message>
        <source>last arriver</source>
        <translation>最后到达者</translation>
    </message>
    <message>
        <source>total wait</source>
        <translation>等待合计</translation>
    </message>
    <message>
        <source>consecutive nodes without a barrier</source>
        <translation>连续无屏障的节点数</translation>
    </message>
    <message>
        <source>Node</source>
        <translation>节点</translation>
    </message>
    <message>
        <source>Steps %1 to %2</source>
        <translation>第 %1 至 %2 步</translation>
    </message>
    <message numerus="yes">
        <source>%n step(s)</source>
        <translation>
            <numerusform>%n 步</numerusform>
        </translation>
    </message>
    <message>
        <source>most live bytes, planned</source>
        <translation>最多存活字节（规划）</translation>
    </message>
    <message>
        <source>%1 at step %2</source>
        <translation>%1，在第 %2 步</translation>
    </message>
    <message>
        <source>Nodes</source>
        <translation>节点</translation>
    </message>
    <message>
        <source>Addresses</source>
        <translation>地址</translation>
    </message>
    <message>
        <source>Nothing is open</source>
        <translation>未打开任何内容</translation>
    </message>
    <message>
        <source>Open a model or a recording: File ▸ Open, or drop a file here.</source>
        <translation>打开模型或记录：“文件 ▸ 打开”，或将文件拖到此处。</translation>
    </message>
    <message>
        <source>The whole graph</source>
        <translation>整张图</translation>
    </message>
    <message>
        <source>Nothing is selected</source>
        <translation>未选择任何内容</translation>
    </message>
    <message>
        <source>Graph</source>
        <translation>计算图</translation>
    </message>
    <message>
        <source>nodes</source>
        <translation>节点</translation>
    </message>
    <message>
        <source>leaf tensors</source>
        <translation>叶张量</translation>
    </message>
    <message>
        <source>weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>Memory plan</source>
        <translation>内存规划</translation>
    </message>
    <message>
        <source>planner</source>
        <translation>规划器</translation>
    </message>
    <message>
        <source>order</source>
        <translation>执行顺序</translation>
    </message>
    <message>
        <source>arena</source>
        <translation>内存区</translation>
    </message>
    <message>
        <source>lower bound</source>
        <translation>下界</translation>
    </message>
    <message>
        <source>above the lower bound</source>
        <translation>高于下界</translation>
    </message>
    <message>
        <source>without reuse</source>
        <translation>不复用时</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>strategy</source>
        <translation>策略</translation>
    </message>
    <message>
        <source>threads</source>
        <translation>线程数</translation>
    </message>
    <message>
        <source>wall time</source>
        <translation>实际用时</translation>
    </message>
    <message>
        <source>shown</source>
        <translation>显示的是</translation>
    </message>
    <message>
        <source>run %1</source>
        <translation>第 %1 次运行</translation>
    </message>
    <message>
        <source>runs so far</source>
        <translation>已运行次数</translation>
    </message>
    <message>
        <source>Recording</source>
        <translation>记录</translation>
    </message>
    <message>
        <source>events</source>
        <translation>事件</translation>
    </message>
    <message>
        <source>lost</source>
        <translation>丢失</translation>
    </message>
    <message>
        <source>threads and queues</source>
        <translation>线程与队列</translation>
    </message>
    <message>
        <source>In B: %1</source>
        <translation>在 B 中：%1</translation>
    </message>
    <message>
        <source>It has no counterpart in B.</source>
        <translation>在 B 中没有对应的张量。</translation>
    </message>
    <message>
        <source>name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>mean time</source>
        <translation>平均时间</translation>
    </message>
    <message>
        <source>location</source>
        <translation>位置</translation>
    </message>
    <message>
        <source>mean per run</source>
        <translation>每次运行平均</translation>
    </message>
    <message>
        <source>median, quartiles</source>
        <translation>中位数、四分位数</translation>
    </message>
    <message>
        <source>%1 (cold first run)</source>
        <translation>%1（冷启动的第一次运行）</translation>
    </message>
    <message>
        <source>%1, incomplete</source>
        <translation>%1，不完整</translation>
    </message>
    <message>
        <source>%1; %2 excluded</source>
        <translation>%1；排除 %2 次</translation>
    </message>
    <message>
        <source>runs</source>
        <translation>运行次数</translation>
    </message>
    <message>
        <source>in the cold first run</source>
        <translation>冷启动的第一次运行中</translation>
    </message>
    <message>
        <source>busy, all threads</source>
        <translation>忙碌，所有线程</translation>
    </message>
    <message>
        <source>%1 per run</source>
        <translation>每次运行 %1</translation>
    </message>
    <message>
        <source>chunks per run</source>
        <translation>每次运行的分块数</translation>
    </message>
    <message>
        <source>host enqueue time</source>
        <translation>主机入队耗时</translation>
    </message>
    <message>
        <source>parts</source>
        <translation>组成部分</translation>
    </message>
    <message>
        <source>layout</source>
        <translation>布局</translation>
    </message>
    <message>
        <source>kept</source>
        <translation>保留</translation>
    </message>
    <message>
        <source>for the backward pass</source>
        <translation>供反向传播使用</translation>
    </message>
    <message>
        <source>channels last</source>
        <translation>通道在最后</translation>
    </message>
    <message>
        <source>in the file</source>
        <translation>文件中</translation>
    </message>
    <message>
        <source>Gradient</source>
        <translation>梯度</translation>
    </message>
    <message>
        <source>Accumulator</source>
        <translation>累加器</translation>
    </message>
    <message>
        <source>Optimiser state</source>
        <translation>优化器状态</translation>
    </message>
    <message>
        <source>Parameter</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>threads requested</source>
        <translation>请求的线程数</translation>
    </message>
    <message>
        <source>paused, in addition</source>
        <translation>另有暂停</translation>
    </message>
    <message>
        <source>resident memory</source>
        <translation>常驻内存</translation>
    </message>
    <message>
        <source>outside all allocators</source>
        <translation>不属于任何分配器</translation>
    </message>
    <message>
        <source>incomplete</source>
        <translation>不完整</translation>
    </message>
    <message>
        <source>clock of %1</source>
        <translation>%1 的时钟</translation>
    </message>
    <message numerus="yes">
        <source>%n other(s)</source>
        <translation>
            <numerusform>另有 %n 项</numerusform>
        </translation>
    </message>
    <message>
        <source>Totals</source>
        <translation>合计</translation>
    </message>
    <message>
        <source>barrier wait after these nodes</source>
        <translation>这些节点之后的屏障等待</translation>
    </message>
    <message>
        <source>results</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>largest work buffer</source>
        <translation>最大工作缓冲区</translation>
    </message>
    <message>
        <source>By op</source>
        <translation>按算子</translation>
    </message>
    <message>
        <source>Lifetime</source>
        <translation>生命周期</translation>
    </message>
    <message>
        <source>last use of the results</source>
        <translation>结果的最后使用</translation>
    </message>
    <message>
        <source>kept after it</source>
        <translation>之后仍保留</translation>
    </message>
    <message numerus="yes">
        <source>%1 of %n tensor(s)</source>
        <translation>
            <numerusform>%n 个张量，%1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>layer of %n node(s)</source>
        <translation>
            <numerusform>%n 个节点的层</numerusform>
        </translation>
    </message>
    <message>
        <source>Reads</source>
        <translation>读取</translation>
    </message>
    <message>
        <source>Read by other layers</source>
        <translation>被其他层读取</translation>
    </message>
    <message>
        <source>Time range</source>
        <translation>时间范围</translation>
    </message>
    <message>
        <source>peak allocated</source>
        <translation>分配峰值</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>allocated</source>
        <translation>分配</translation>
    </message>
    <message>
        <source>freed</source>
        <translation>释放</translation>
    </message>
    <message>
        <source>By thread or queue</source>
        <translation>按线程或队列</translation>
    </message>
    <message>
        <source>By name, including nested spans</source>
        <translation>按名称（含嵌套区间）</translation>
    </message>
    <message>
        <source>Only the first %1 spans of each row are included.</source>
        <translation>仅计每行前 %1 个区间。</translation>
    </message>
    <message>
        <source>still allocated at the end of the trace</source>
        <translation>跟踪结束时尚未释放</translation>
    </message>
    <message>
        <source>At allocation</source>
        <translation>分配时</translation>
    </message>
    <message>
        <source>live at that time</source>
        <translation>当时存活</translation>
    </message>
    <message>
        <source>%1 in %2 allocations</source>
        <translation>%1，%2 个分配</translation>
    </message>
    <message>
        <source>Allocation at %1</source>
        <translation>%1 处的分配</translation>
    </message>
    <message>
        <source>purpose</source>
        <translation>用途</translation>
    </message>
    <message>
        <source>allocator</source>
        <translation>分配器</translation>
    </message>
    <message>
        <source>requested</source>
        <translation>请求</translation>
    </message>
    <message>
        <source>waste</source>
        <translation>浪费</translation>
    </message>
    <message>
        <source>Space</source>
        <translation>空间</translation>
    </message>
    <message>
        <source>offset</source>
        <translation>偏移</translation>
    </message>
    <message>
        <source>By layer</source>
        <translation>按层</translation>
    </message>
    <message>
        <source>Allocated by</source>
        <translation>分配位置</translation>
    </message>
    <message numerus="yes">
        <source>%n allocation(s) from here</source>
        <translation>
            <numerusform>此处共 %n 次分配</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Times of %1, %n node(s)</source>
        <translation>
            <numerusform>%1 的时间，%n 个节点</numerusform>
        </translation>
    </message>
    <message>
        <source>this one</source>
        <translation>本节点</translation>
    </message>
    <message>
        <source>Location in memory, observed</source>
        <translation>内存中的位置（实测）</translation>
    </message>
    <message>
        <source>address</source>
        <translation>地址</translation>
    </message>
    <message>
        <source>image</source>
        <translation>图像</translation>
    </message>
    <message>
        <source>placed here</source>
        <translation>放入此处</translation>
    </message>
    <message numerus="yes">
        <source>%n time(s) in the run</source>
        <translation>
            <numerusform>该次运行中 %n 次</numerusform>
        </translation>
    </message>
    <message>
        <source>source of this</source>
        <translation>依据</translation>
    </message>
    <message>
        <source>the plan</source>
        <translation>规划</translation>
    </message>
    <message>
        <source>addresses observed, times derived</source>
        <translation>地址实测，时间推导</translation>
    </message>
    <message>
        <source>observed</source>
        <translation>实测</translation>
    </message>
    <message>
        <source>observed at</source>
        <translation>实测位于</translation>
    </message>
    <message>
        <source>Storage</source>
        <translation>存储</translation>
    </message>
    <message>
        <source>read by</source>
        <translation>被读取</translation>
    </message>
    <message>
        <source>storage</source>
        <translation>存储</translation>
    </message>
    <message>
        <source>none before the node runs</source>
        <translation>节点计算之前没有</translation>
    </message>
    <message>
        <source>references</source>
        <translation>引用计数</translation>
    </message>
    <message>
        <source>borrowed, never freed</source>
        <translation>借用，不会释放</translation>
    </message>
    <message>
        <source>(a view)</source>
        <translation>（视图）</translation>
    </message>
    <message numerus="yes">
        <source>as %n input(s)</source>
        <translation>
            <numerusform>作为 %n 个输入</numerusform>
        </translation>
    </message>
    <message>
        <source>replay on %1</source>
        <translation>%1 上的重放</translation>
    </message>
    <message>
        <source>not supported by the device or by this graph</source>
        <translation>设备或此计算图不支持</translation>
    </message>
    <message>
        <source>kernels are enqueued one by one in the first run and in runs that are inspected; others are captured and replayed</source>
        <translation>首次运行和被检查的运行逐个提交内核；其他运行被捕获并重放</translation>
    </message>
    <message>
        <source>tried, but rejected by the driver</source>
        <translation>曾尝试，但被驱动程序拒绝</translation>
    </message>
    <message>
        <source>%1 kernels in %2 segments, replayed %3 times</source>
        <translation>%1 个内核，分 %2 段，已重放 %3 次</translation>
    </message>
    <message>
        <source>running for</source>
        <translation>目前已历时</translation>
    </message>
    <message>
        <source>Kernels in this run</source>
        <translation>本次运行的内核</translation>
    </message>
    <message>
        <source>entries in file</source>
        <translation>文件中的条目</translation>
    </message>
    <message>
        <source>events imported</source>
        <translation>导入的事件</translation>
    </message>
    <message>
        <source>not recorded</source>
        <translation>未记录</translation>
    </message>
    <message>
        <source>reserved memory</source>
        <translation>预留内存</translation>
    </message>
    <message>
        <source>memory events</source>
        <translation>内存事件</translation>
    </message>
    <message>
        <source>bandwidth</source>
        <translation>带宽</translation>
    </message>
    <message>
        <source>arithmetic intensity</source>
        <translation>计算强度</translation>
    </message>
</context>
<context>
    <name>arenascope::views::InspectorView</name>
    <message>
        <source>Inspector</source>
        <translation>检查器</translation>
    </message>
    <message>
        <source>Section</source>
        <translation>部分</translation>
    </message>
    <message>
        <source>Property</source>
        <translation>属性</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>值</translation>
    </message>
</context>
<context>
    <name>arenascope::views::LayoutJob</name>
    <message>
        <source>Laying out the graph…</source>
        <translation>正在布局…</translation>
    </message>
</context>
<context>
    <name>arenascope::views::LessonPanel</name>
    <message>
        <source>All lessons</source>
        <translation>全部课程</translation>
    </message>
    <message>
        <source>Next Lesson</source>
        <translation>下一课</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>下一步</translation>
    </message>
    <message>
        <source>step %1 of %2</source>
        <translation>第 %1 步，共 %2 步</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>上一步</translation>
    </message>
    <message>
        <source>Repeat Step</source>
        <translation>重做此步</translation>
    </message>
    <message>
        <source>Restore the window state of this step</source>
        <translation>恢复此步骤所需的窗口状态</translation>
    </message>
    <message>
        <source>Lesson</source>
        <translation>课程</translation>
    </message>
    <message>
        <source>Text of the lesson</source>
        <translation>课文</translation>
    </message>
    <message>
        <source>Large type and a frame around the current subject, for presenting</source>
        <translation>大字，并框出当前讲解的内容，用于演示</translation>
    </message>
    <message>
        <source>Large Type</source>
        <translation>大字</translation>
    </message>
</context>
<context>
    <name>arenascope::views::Lessons</name>
    <message>
        <source>Type a rule: `sort` keys, smallest first; then `fit lowest` or `fit tightest`. Keys use size, first, last, length, area and live.</source>
        <translation>输入一条规则：`sort` 后面是排序键，小的在前；然后是 `fit lowest` 或 `fit tightest`。排序键可以使用 size、first、last、length、area 与 live。</translation>
    </message>
    <message>
        <source>Continue: %1</source>
        <translation>继续：%1</translation>
    </message>
    <message>
        <source>Start: %1</source>
        <translation>开始：%1</translation>
    </message>
    <message>
        <source>%1 of %2 lessons finished</source>
        <translation>已完成 %1 / %2 课</translation>
    </message>
    <message>
        <source>%1 fits.</source>
        <translation>%1 放得下。</translation>
    </message>
    <message>
        <source>shown</source>
        <translation>看了答案</translation>
    </message>
    <message>
        <source>not answered</source>
        <translation>未回答</translation>
    </message>
    <message>
        <source>correct at the first attempt</source>
        <translation>一次答对</translation>
    </message>
    <message>
        <source>correct after a hint</source>
        <translation>看提示后答对</translation>
    </message>
    <message>
        <source>correct at attempt %1</source>
        <translation>第 %1 次答对</translation>
    </message>
    <message>
        <source>step %1 of %2</source>
        <translation>第 %1 步，共 %2 步</translation>
    </message>
    <message>
        <source>Prerequisites: %1</source>
        <translation>先学：%1</translation>
    </message>
    <message>
        <source>Answers</source>
        <translation>回答情况</translation>
    </message>
    <message>
        <source>Further reading: %1</source>
        <translation>继续阅读：%1</translation>
    </message>
    <message>
        <source>Continue with: %1</source>
        <translation>后续课程：%1</translation>
    </message>
    <message>
        <source>Not a number. A unit such as KiB or MiB may follow it.</source>
        <translation>不是数字。后面可以带 KiB、MiB 这样的单位。</translation>
    </message>
    <message>
        <source>Too many: %1 of it would never be used.</source>
        <translation>太多：其中 %1 永远用不上。</translation>
    </message>
    <message>
        <source>Too many.</source>
        <translation>太多。</translation>
    </message>
    <message>
        <source>Too few.</source>
        <translation>太少。</translation>
    </message>
    <message>
        <source>Too few: at step %1, %2 are live, %3 in total.</source>
        <translation>太少：第 %1 步存活的有 %2，共 %3。</translation>
    </message>
    <message>
        <source>You selected %1 (%2).</source>
        <translation>您选择的是 %1（%2）。</translation>
    </message>
    <message>
        <source>That is %1: %2, needed from step %3 to step %4.</source>
        <translation>这是 %1：%2，从第 %3 步到第 %4 步需要。</translation>
    </message>
    <message>
        <source>%1 overlaps %2: both are needed from step %3 to step %4, and they share %5.</source>
        <translation>%1 与 %2 重叠：从第 %3 步到第 %4 步两者都需要，却共用 %5。</translation>
    </message>
    <message>
        <source>%1 must begin at a multiple of %2.</source>
        <translation>%1 必须从 %2 的倍数处开始。</translation>
    </message>
    <message>
        <source>Everything fits, but this layout needs %1; %2 is enough.</source>
        <translation>都放得下，但这样排布需要 %1，其实 %2 就够了。</translation>
    </message>
    <message>
        <source>Not yet placed: %1.</source>
        <translation>尚未放置：%1。</translation>
    </message>
    <message>
        <source>%1 is before %2, which it reads: that result would not exist yet.</source>
        <translation>%1 排在它要读取的 %2 之前：那时结果还不存在。</translation>
    </message>
    <message>
        <source>This order is valid, but at step %1, %2 are live (%3 in total). A peak of %4 is possible.</source>
        <translation>这个顺序有效，但第 %1 步存活的有 %2（共 %3）。峰值可以降到 %4。</translation>
    </message>
    <message>
        <source>This order is valid, but the inputs of each node must be visited in sequence: %2 is not at position %1.</source>
        <translation>这个顺序有效，但每个节点的输入必须依次访问：位置 %1 上不是 %2。</translation>
    </message>
    <message>
        <source>%1 reads %2, not %3.</source>
        <translation>%1 读取 %2，不读取 %3。</translation>
    </message>
    <message>
        <source>%2 does not read %1.</source>
        <translation>%2 不读取 %1。</translation>
    </message>
    <message>
        <source>%1 is computed by %2.</source>
        <translation>%1 由 %2 计算。</translation>
    </message>
    <message>
        <source>After %1 the threads waited %2. That is not the longest wait.</source>
        <translation>线程在 %1 之后等待了 %2，不是最长的等待。</translation>
    </message>
    <message>
        <source>%1 overlaps %2: both are needed at step %3, and they share %4.</source>
        <translation>%1 与 %2 重叠：第 %3 步两者都要用，而它们共用 %4。</translation>
    </message>
    <message>
        <source>%1 bytes</source>
        <translation>%1 字节</translation>
    </message>
    <message>
        <source>Not this one.</source>
        <translation>不是这个。</translation>
    </message>
    <message>
        <source>%1 at %2</source>
        <translation>%1 在 %2</translation>
    </message>
    <message>
        <source>Choose one.</source>
        <translation>请选一个。</translation>
    </message>
    <message>
        <source>Type a number.</source>
        <translation>请输入一个数。</translation>
    </message>
    <message>
        <source>Click the tensor, in any panel.</source>
        <translation>请在任一面板中点击该张量。</translation>
    </message>
    <message>
        <source>Click the block, or a tensor in it.</source>
        <translation>请点击该内存块，或其中的一个张量。</translation>
    </message>
    <message>
        <source>Click the barrier in the timeline, or its row in the table.</source>
        <translation>请点击时间线中的屏障，或表中它的那一行。</translation>
    </message>
    <message>
        <source>Drag each tensor to its position, or select it with Tab and move it with the arrow keys.</source>
        <translation>把每个张量拖到它的位置，或用 Tab 选中后用方向键移动。</translation>
    </message>
    <message>
        <source>Drag the rows into order, or move the selected row with Ctrl and the arrow keys.</source>
        <translation>把各行拖成正确的顺序，或用 Ctrl 加方向键移动选中的一行。</translation>
    </message>
</context>
<context>
    <name>arenascope::views::LifetimesView</name>
    <message>
        <source>reuse saves %1</source>
        <translation>复用节省 %1</translation>
    </message>
    <message>
        <source>no plan</source>
        <translation>没有规划</translation>
    </message>
    <message>
        <source>share of the block</source>
        <translation>占内存块的比例</translation>
    </message>
    <message>
        <source>input</source>
        <translation>输入</translation>
    </message>
    <message>
        <source>output</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>bars: level of reuse</source>
        <translation>竖条：复用级别</translation>
    </message>
    <message>
        <source>block %1</source>
        <translation>内存块 %1</translation>
    </message>
    <message>
        <source>address %1</source>
        <translation>地址 %1</translation>
    </message>
    <message>
        <source>address %1 to %2</source>
        <translation>地址 %1 至 %2</translation>
    </message>
    <message numerus="yes">
        <source>%n tensor(s), in use during %1 of the steps</source>
        <translation>
            <numerusform>%n 个张量，在 %1 的步中使用</numerusform>
        </translation>
    </message>
    <message>
        <source>Lifetimes</source>
        <translation>生命周期</translation>
    </message>
    <message>
        <source>previous plan</source>
        <translation>上一个规划</translation>
    </message>
    <message>
        <source>B: compared with</source>
        <translation>B：比较对象</translation>
    </message>
    <message numerus="yes">
        <source>%n tensor(s)</source>
        <translation>
            <numerusform>%n 个张量</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n block(s)</source>
        <translation>
            <numerusform>%n 个内存块</numerusform>
        </translation>
    </message>
    <message>
        <source>observed</source>
        <translation>实测</translation>
    </message>
    <message>
        <source>planned</source>
        <translation>规划</translation>
    </message>
    <message>
        <source>No memory plan and no allocations at known addresses.</source>
        <translation>没有内存规划，也没有已知地址的分配。</translation>
    </message>
    <message>
        <source>Show Plan Requirement</source>
        <translation>显示规划所需内存</translation>
    </message>
    <message>
        <source>plan would need %1</source>
        <translation>规划需要 %1</translation>
    </message>
    <message>
        <source>addresses observed, times derived</source>
        <translation>地址实测，时间推导</translation>
    </message>
    <message>
        <source>unobserved tensors as planned</source>
        <translation>未实测的张量按规划显示</translation>
    </message>
    <message>
        <source>as planned</source>
        <translation>按规划</translation>
    </message>
    <message>
        <source>Address Space</source>
        <translation>地址空间</translation>
    </message>
</context>
<context>
    <name>arenascope::views::MemoryClasses</name>
    <message>
        <source>weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>KV cache</source>
        <translation>KV 缓存</translation>
    </message>
    <message>
        <source>gradients</source>
        <translation>梯度</translation>
    </message>
    <message>
        <source>activations</source>
        <translation>激活值</translation>
    </message>
    <message>
        <source>other</source>
        <translation>其他</translation>
    </message>
    <message>
        <source>optimiser</source>
        <translation>优化器</translation>
    </message>
    <message>
        <source>workspace</source>
        <translation>工作区</translation>
    </message>
</context>
<context>
    <name>arenascope::views::ObjectsView</name>
    <message>
        <source>Objects</source>
        <translation>对象</translation>
    </message>
    <message>
        <source>Bytes of the context&apos;s pool. The table next to it has the same content.</source>
        <translation>上下文内存池的字节。旁边的表格内容相同。</translation>
    </message>
    <message>
        <source>This recording contains no object pool.</source>
        <translation>此记录中没有对象内存池。</translation>
    </message>
    <message>
        <source>%1: %2 objects, %3 of %4 used%5</source>
        <translation>%1：%2 个对象，已用 %3 / %4%5</translation>
    </message>
    <message>
        <source>, descriptors only</source>
        <translation>，仅描述符</translation>
    </message>
    <message>
        <source>%1 %2
header %3, %4
object %5, %6
next: %7</source>
        <translation>%1 %2
对象头 %3，%4
对象 %5，%6
下一个：%7</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>, scratch on: %1 of %2 used</source>
        <translation>，暂存区开启：已用 %1 / %2</translation>
    </message>
</context>
<context>
    <name>arenascope::views::OccupancyView</name>
    <message>
        <source>capacity %1</source>
        <translation>容量 %1</translation>
    </message>
    <message>
        <source>arena %1</source>
        <translation>内存区 %1</translation>
    </message>
    <message>
        <source>lower bound %1 with alignment</source>
        <translation>对齐后的下界 %1</translation>
    </message>
    <message>
        <source>lower bound %1</source>
        <translation>下界 %1</translation>
    </message>
    <message>
        <source>peak %1</source>
        <translation>峰值 %1</translation>
    </message>
    <message>
        <source>peak %1 at step %2</source>
        <translation>峰值 %1，在第 %2 步</translation>
    </message>
    <message>
        <source>equals lower bound</source>
        <translation>等于下界</translation>
    </message>
    <message>
        <source>gap %1, %2</source>
        <translation>差距 %1，%2</translation>
    </message>
    <message>
        <source>live</source>
        <translation>存活</translation>
    </message>
    <message>
        <source>planned</source>
        <translation>规划</translation>
    </message>
    <message>
        <source>arena</source>
        <translation>内存区</translation>
    </message>
    <message>
        <source>lower bound</source>
        <translation>下界</translation>
    </message>
    <message>
        <source>reserved</source>
        <translation>已预留</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>第 %1 步</translation>
    </message>
    <message>
        <source>live: %1</source>
        <translation>存活：%1</translation>
    </message>
    <message>
        <source>planned: %1</source>
        <translation>规划：%1</translation>
    </message>
    <message>
        <source>unused in the arena: %1</source>
        <translation>内存区中未用：%1</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>reserved: %1</source>
        <translation>已预留：%1</translation>
    </message>
    <message>
        <source>Occupancy</source>
        <translation>占用</translation>
    </message>
    <message>
        <source>B: peak %1</source>
        <translation>B：峰值 %1</translation>
    </message>
    <message>
        <source>previous arena %1</source>
        <translation>之前的内存区 %1</translation>
    </message>
    <message>
        <source>previous plan</source>
        <translation>上一个规划</translation>
    </message>
    <message>
        <source>B: compared with</source>
        <translation>B：比较对象</translation>
    </message>
    <message>
        <source>B: %1</source>
        <translation>B：%1</translation>
    </message>
    <message>
        <source>resident %1, outside all allocators %2</source>
        <translation>常驻 %1，不属于任何分配器 %2</translation>
    </message>
    <message>
        <source>resident %1, reserved but untouched %2</source>
        <translation>常驻 %1，已预留但未触及 %2</translation>
    </message>
    <message>
        <source>observed</source>
        <translation>实测</translation>
    </message>
    <message>
        <source>addresses observed, times derived</source>
        <translation>地址实测，时间推导</translation>
    </message>
    <message>
        <source>Memory Shown</source>
        <translation>显示的内存</translation>
    </message>
    <message>
        <source>Memory of the Run&apos;s Tensors</source>
        <translation>本次运行的张量所在内存</translation>
    </message>
    <message>
        <source>Plan Arena</source>
        <translation>规划的内存区</translation>
    </message>
    <message>
        <source>All Memory by Kind</source>
        <translation>全部内存，按类别</translation>
    </message>
    <message>
        <source>All Memory by Allocator</source>
        <translation>全部内存，按分配器</translation>
    </message>
    <message>
        <source>All Memory by Use</source>
        <translation>全部内存，按用途</translation>
    </message>
    <message>
        <source>Show Plan Requirement</source>
        <translation>显示规划所需内存</translation>
    </message>
    <message>
        <source>plan would need %1</source>
        <translation>规划需要 %1</translation>
    </message>
    <message>
        <source>Memory was not recorded.</source>
        <translation>未记录内存。</translation>
    </message>
    <message>
        <source>All Memory by Device</source>
        <translation>全部内存，按设备</translation>
    </message>
    <message>
        <source>unknown device</source>
        <translation>未知设备</translation>
    </message>
    <message>
        <source>bound %1</source>
        <translation>下界 %1</translation>
    </message>
    <message>
        <source>fit %1</source>
        <translation>上限 %1</translation>
    </message>
    <message>
        <source>KV cache, not filled yet</source>
        <translation>KV 缓存，尚未填充</translation>
    </message>
    <message>
        <source>KV cache filled up to %1</source>
        <translation>KV 缓存最多填充 %1</translation>
    </message>
    <message>
        <source>%1, %2 at the peak</source>
        <translation>%1，峰值时 %2</translation>
    </message>
    <message>
        <source>resident %1</source>
        <translation>常驻 %1</translation>
    </message>
    <message>
        <source>reserved memory not recorded</source>
        <translation>未记录预留内存</translation>
    </message>
    <message>
        <source>All Memory by Call Site</source>
        <translation>全部内存，按调用点</translation>
    </message>
    <message>
        <source>other call sites</source>
        <translation>其他调用点</translation>
    </message>
    <message>
        <source>unknown call site</source>
        <translation>未知调用点</translation>
    </message>
</context>
<context>
    <name>arenascope::views::PlacementBoard</name>
    <message>
        <source>Arena map to place tensors in</source>
        <translation>用来安放张量的内存区地图</translation>
    </message>
    <message>
        <source>at most %1</source>
        <translation>至多 %1</translation>
    </message>
</context>
<context>
    <name>arenascope::views::PlotCanvas</name>
    <message>
        <source>incomplete: %1</source>
        <translation>不完整：%1</translation>
    </message>
</context>
<context>
    <name>arenascope::views::QuestionBox</name>
    <message>
        <source>%1 reads %2</source>
        <translation>%1 读 %2</translation>
    </message>
    <message>
        <source>A generated graph, in execution order: %1.</source>
        <translation>随机生成的图，按执行顺序：%1。</translation>
    </message>
    <message>
        <source>A generated graph: %1.</source>
        <translation>随机生成的图：%1。</translation>
    </message>
    <message>
        <source>Correct.</source>
        <translation>正确。</translation>
    </message>
    <message>
        <source>New Task</source>
        <translation>再来一题</translation>
    </message>
    <message>
        <source>Ask the same question about a generated graph</source>
        <translation>就一个随机生成的图提出同样的问题</translation>
    </message>
    <message>
        <source>Planner</source>
        <translation>规划器</translation>
    </message>
    <message>
        <source>Arena</source>
        <translation>内存区</translation>
    </message>
    <message>
        <source>your rule</source>
        <translation>你的规则</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>回答</translation>
    </message>
    <message>
        <source>Hint</source>
        <translation>提示</translation>
    </message>
    <message>
        <source>Show Answer</source>
        <translation>显示答案</translation>
    </message>
    <message>
        <source>Show the answer and what actually happens</source>
        <translation>显示答案以及实际会发生什么</translation>
    </message>
    <message>
        <source>%1 is selected. Press Enter or “Answer” to answer with it.</source>
        <translation>已选中 %1。按回车键或“回答”以它作答。</translation>
    </message>
    <message>
        <source>Put into order</source>
        <translation>排序</translation>
    </message>
    <message>
        <source>%1. %2</source>
        <translation>%1。%2</translation>
    </message>
</context>
<context>
    <name>arenascope::views::ReplanPanel</name>
    <message>
        <source>“%1” is not a size. Examples: 96 MiB, 4096.</source>
        <translation>“%1”不是大小。示例：96 MiB、4096。</translation>
    </message>
    <message>
        <source>Planner</source>
        <translation>规划器</translation>
    </message>
    <message>
        <source>Order</source>
        <translation>顺序</translation>
    </message>
    <message>
        <source>Fit under</source>
        <translation>不超过</translation>
    </message>
    <message>
        <source>Search time</source>
        <translation>搜索时间</translation>
    </message>
    <message>
        <source>Allow in-place ops</source>
        <translation>允许算子原地执行</translation>
    </message>
    <message>
        <source>A pointwise op may overwrite an input in place at the input&apos;s last use</source>
        <translation>逐元素算子可以在某个输入最后一次使用时原地覆盖它</translation>
    </message>
    <message>
        <source> s</source>
        <translation> 秒</translation>
    </message>
    <message>
        <source>Time limit in seconds for planners and orders that search</source>
        <translation>供会搜索的规划器和顺序使用的时间上限（秒）</translation>
    </message>
    <message>
        <source>e.g. 96 MiB</source>
        <translation>例如 96 MiB</translation>
    </message>
    <message>
        <source>The search ends as soon as a plan fits; the limit line in the occupancy view can be dragged</source>
        <translation>找到放得下的规划后搜索即结束；占用视图中的上限线可以拖动</translation>
    </message>
    <message>
        <source>Plan</source>
        <translation>规划</translation>
    </message>
    <message>
        <source>The current plan is drawn as an overlay under the new one</source>
        <translation>当前规划叠加显示在新规划之下</translation>
    </message>
    <message>
        <source>All</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>Run every planner with every order and list the results</source>
        <translation>用每种顺序运行每个规划器并列出结果</translation>
    </message>
    <message>
        <source>Accept best</source>
        <translation>接受目前最优</translation>
    </message>
    <message>
        <source>Stop the search and use the smallest plan so far</source>
        <translation>停止搜索，使用目前最小的规划</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>导出…</translation>
    </message>
    <message>
        <source>Write the plan shown as JSON or CSV</source>
        <translation>把显示的规划写成 JSON 或 CSV</translation>
    </message>
    <message>
        <source>Memory limit in bytes</source>
        <translation>内存上限（字节）</translation>
    </message>
    <message>
        <source>Search time limit in seconds</source>
        <translation>搜索时间上限（秒）</translation>
    </message>
    <message>
        <source>Alignment</source>
        <translation>对齐</translation>
    </message>
    <message>
        <source>unchanged</source>
        <translation>保持不变</translation>
    </message>
    <message>
        <source>Alignment of every tensor offset in bytes; GE uses 512</source>
        <translation>每个张量偏移的对齐字节数；GE 用 512</translation>
    </message>
    <message>
        <source>Streams</source>
        <translation>流</translation>
    </message>
    <message>
        <source>Number of concurrent queues; results share memory across queues only after an event</source>
        <translation>并发队列数；不同队列的结果只有在事件之后才能共用内存</translation>
    </message>
    <message>
        <source>Banks</source>
        <translation>存储体</translation>
    </message>
    <message>
        <source>e.g. sram=512K,host</source>
        <translation>例如 sram=512K,host</translation>
    </message>
    <message>
        <source>Memory tiers and sizes, fastest first; tensors with the most accesses per byte go into the fastest tier</source>
        <translation>各级存储器及其大小，最快的在前；每字节访问最多的张量放入最快的一级</translation>
    </message>
</context>
<context>
    <name>arenascope::views::Search</name>
    <message>
        <source>“%1” is not a size: expected a number with B, KiB, MiB or GiB</source>
        <translation>“%1”不是大小：应为带 B、KiB、MiB 或 GiB 的数</translation>
    </message>
    <message>
        <source>“%1” is not a duration: expected a number with ns, µs, ms or s</source>
        <translation>“%1”不是时长：应为带 ns、µs、ms 或 s 的数</translation>
    </message>
    <message>
        <source>“%1” has no order: expected %2:TEXT</source>
        <translation>“%1”没有大小顺序：应为 %2:文本</translation>
    </message>
    <message>
        <source>“%1” is not a kind: expected node, tensor, span, allocation, frame or message</source>
        <translation>“%1”不是种类：应为 node（节点）、tensor（张量）、span（区间）、allocation（分配）、frame（帧）或 message（消息）</translation>
    </message>
    <message>
        <source>/%1/ is not a regular expression: %2</source>
        <translation>/%1/ 不是正则表达式：%2</translation>
    </message>
    <message>
        <source>%1, at %2</source>
        <translation>%1，位于 %2</translation>
    </message>
    <message>
        <source>node</source>
        <translation>节点</translation>
    </message>
    <message>
        <source>tensor</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>span</source>
        <translation>区间</translation>
    </message>
    <message>
        <source>allocation</source>
        <translation>分配</translation>
    </message>
    <message>
        <source>stack frame</source>
        <translation>栈帧</translation>
    </message>
    <message>
        <source>message</source>
        <translation>消息</translation>
    </message>
</context>
<context>
    <name>arenascope::views::SearchCurve</name>
    <message>
        <source>Progress of the search</source>
        <translation>搜索进度</translation>
    </message>
    <message>
        <source>%1 after %2</source>
        <translation>%2 之后 %1</translation>
    </message>
    <message>
        <source>, lower bound %1</source>
        <translation>，下界 %1</translation>
    </message>
    <message>
        <source>0 s</source>
        <translation>0 s</translation>
    </message>
</context>
<context>
    <name>arenascope::views::SliceText</name>
    <message>
        <source>no reuse</source>
        <translation>不复用</translation>
    </message>
    <message>
        <source>first level of reuse</source>
        <translation>第一级复用</translation>
    </message>
    <message>
        <source>second level of reuse</source>
        <translation>第二级复用</translation>
    </message>
    <message>
        <source>level %1 of reuse</source>
        <translation>第 %1 级复用</translation>
    </message>
    <message>
        <source>%1 · %2 · %3</source>
        <translation>%1 · %2 · %3</translation>
    </message>
    <message>
        <source>address %1 to %2</source>
        <translation>地址 %1 至 %2</translation>
    </message>
    <message>
        <source>live from step %1 to %2, for %3</source>
        <translation>从第 %1 步到第 %2 步存活，共 %3</translation>
    </message>
    <message numerus="yes">
        <source>%n step(s)</source>
        <translation>
            <numerusform>%n 步</numerusform>
        </translation>
    </message>
    <message>
        <source>block %1, %2</source>
        <translation>内存块 %1，%2</translation>
    </message>
    <message>
        <source>in place of %1</source>
        <translation>原地取代 %1</translation>
    </message>
    <message>
        <source>alive for %1 so far</source>
        <translation>已存活 %1</translation>
    </message>
    <message>
        <source>alive for %1</source>
        <translation>存活 %1</translation>
    </message>
    <message>
        <source>planned, not observed</source>
        <translation>已规划，未实测</translation>
    </message>
    <message>
        <source>requested %1, waste %2</source>
        <translation>请求 %1，浪费 %2</translation>
    </message>
</context>
<context>
    <name>arenascope::views::Spaces</name>
    <message>
        <source>allocator %1</source>
        <translation>分配器 %1</translation>
    </message>
    <message>
        <source>arena of a plan</source>
        <translation>规划的内存区</translation>
    </message>
    <message>
        <source>%1 × %2 texels of %3</source>
        <translation>%1 × %2 个 %3 的纹素</translation>
    </message>
    <message>
        <source>Memory of the Run&apos;s Tensors</source>
        <translation>本次运行的张量所在内存</translation>
    </message>
    <message>
        <source>Plan Arena</source>
        <translation>规划的内存区</translation>
    </message>
    <message>
        <source>All Spaces Except Weights</source>
        <translation>除权重外的所有空间</translation>
    </message>
    <message>
        <source>All Spaces</source>
        <translation>所有空间</translation>
    </message>
</context>
<context>
    <name>arenascope::views::TablePanel</name>
    <message>
        <source>Filter</source>
        <translation>筛选</translation>
    </message>
    <message>
        <source>Filter the table</source>
        <translation>筛选表格</translation>
    </message>
    <message>
        <source>Selected range only  ✕</source>
        <translation>仅所选范围  ✕</translation>
    </message>
    <message>
        <source>Show all rows again</source>
        <translation>重新显示所有行</translation>
    </message>
    <message numerus="yes">
        <source>%n row(s)</source>
        <translation>
            <numerusform>%n 行</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 of %n row(s)</source>
        <translation>
            <numerusform>%1 / %n 行</numerusform>
        </translation>
    </message>
    <message>
        <source>No row matches the filter.</source>
        <translation>没有符合筛选条件的行。</translation>
    </message>
</context>
<context>
    <name>arenascope::views::Tables</name>
    <message>
        <source>No barriers: nothing ran, or only one thread was used.</source>
        <translation>没有屏障：尚未运行，或只用了一个线程。</translation>
    </message>
    <message>
        <source>Node</source>
        <translation>节点</translation>
    </message>
    <message>
        <source>Node after which the threads synchronised</source>
        <translation>线程在其后同步的节点</translation>
    </message>
    <message>
        <source>Nodes</source>
        <translation>节点数</translation>
    </message>
    <message>
        <source>Nodes executed since the previous barrier; more than one if there was no barrier between them</source>
        <translation>自上一个屏障以来执行的节点数；多于一个表示其间没有屏障</translation>
    </message>
    <message>
        <source>Op</source>
        <translation>算子</translation>
    </message>
    <message>
        <source>At</source>
        <translation>时刻</translation>
    </message>
    <message>
        <source>Arrival of the first thread, since the start of the recording</source>
        <translation>第一个线程到达的时刻，自记录开始</translation>
    </message>
    <message>
        <source>Last arriver</source>
        <translation>最后到达者</translation>
    </message>
    <message>
        <source>Thread that the others waited for</source>
        <translation>其他线程等待的线程</translation>
    </message>
    <message>
        <source>Spread</source>
        <translation>到达间隔</translation>
    </message>
    <message>
        <source>From the first arrival to the last</source>
        <translation>从最先到达到最后到达</translation>
    </message>
    <message>
        <source>Waited</source>
        <translation>等待合计</translation>
    </message>
    <message>
        <source>Total wait of all threads: the cost of the imbalance</source>
        <translation>所有线程等待之和：负载不均的代价</translation>
    </message>
    <message>
        <source>Leaving</source>
        <translation>离开屏障用时</translation>
    </message>
    <message>
        <source>From the last arrival to the last departure</source>
        <translation>从最后到达到最后离开</translation>
    </message>
    <message>
        <source>Threads</source>
        <translation>线程数</translation>
    </message>
    <message>
        <source>No allocator holds any memory.</source>
        <translation>没有分配器持有内存。</translation>
    </message>
    <message>
        <source>Free</source>
        <translation>空闲</translation>
    </message>
    <message>
        <source>In use, reused</source>
        <translation>复用中</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>地址</translation>
    </message>
    <message>
        <source>Start address, as reported by the allocator</source>
        <translation>起始地址，按分配器的报告</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Free: cached for the next request that fits</source>
        <translation>空闲：缓存供下一个合适的请求使用</translation>
    </message>
    <message>
        <source>Obtained from the system or the device</source>
        <translation>从系统或设备获得的</translation>
    </message>
    <message>
        <source>Uses</source>
        <translation>使用次数</translation>
    </message>
    <message>
        <source>Number of allocations served from it</source>
        <translation>由其提供的分配次数</translation>
    </message>
    <message>
        <source>No memory was allocated yet.</source>
        <translation>尚未分配内存。</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>类别</translation>
    </message>
    <message>
        <source>Use of the memory</source>
        <translation>内存的用途</translation>
    </message>
    <message>
        <source>Allocator</source>
        <translation>分配器</translation>
    </message>
    <message>
        <source>Active</source>
        <translation>已分配</translation>
    </message>
    <message>
        <source>Currently allocated</source>
        <translation>当前已分配</translation>
    </message>
    <message>
        <source>Reserved</source>
        <translation>已预留</translation>
    </message>
    <message>
        <source>Currently obtained from the system</source>
        <translation>当前从系统获得的</translation>
    </message>
    <message>
        <source>Peak active</source>
        <translation>分配峰值</translation>
    </message>
    <message>
        <source>Peak reserved</source>
        <translation>预留峰值</translation>
    </message>
    <message>
        <source>Changes</source>
        <translation>变更次数</translation>
    </message>
    <message>
        <source>Allocations and frees together</source>
        <translation>分配与释放合计</translation>
    </message>
    <message>
        <source>No plan yet. “Memory ▸ Run All Planners” tries every planner with every order.</source>
        <translation>尚无规划。“内存 ▸ 运行全部规划器”会尝试每个规划器与每种执行顺序。</translation>
    </message>
    <message>
        <source>In use</source>
        <translation>使用中</translation>
    </message>
    <message>
        <source>Planner</source>
        <translation>规划器</translation>
    </message>
    <message>
        <source>Order</source>
        <translation>执行顺序</translation>
    </message>
    <message>
        <source>Arena</source>
        <translation>内存区</translation>
    </message>
    <message>
        <source>Size of the one block that holds all activations</source>
        <translation>容纳所有激活值的那一块内存的大小</translation>
    </message>
    <message>
        <source>Lower bound</source>
        <translation>下界</translation>
    </message>
    <message>
        <source>Largest sum of live bytes: no plan of this order can be smaller</source>
        <translation>存活字节之和的最大值：此执行顺序的任何规划都不可能更小</translation>
    </message>
    <message>
        <source>Ratio</source>
        <translation>比率</translation>
    </message>
    <message>
        <source>Arena over lower bound; 1 is perfect</source>
        <translation>内存区除以下界；1 为最优</translation>
    </message>
    <message>
        <source>Δ vs. current</source>
        <translation>与当前相比</translation>
    </message>
    <message>
        <source>Planning</source>
        <translation>规划用时</translation>
    </message>
    <message>
        <source>Planning time</source>
        <translation>规划用时</translation>
    </message>
    <message>
        <source>No problems.</source>
        <translation>没有问题。</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>错误</translation>
    </message>
    <message>
        <source>Warning</source>
        <translation>警告</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>提示</translation>
    </message>
    <message>
        <source>Severity</source>
        <translation>级别</translation>
    </message>
    <message>
        <source>Problem</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>%1 events were lost because a ring buffer was full.</source>
        <translation>因环形缓冲区已满，丢失 %1 个事件。</translation>
    </message>
    <message>
        <source>In</source>
        <translation>存在于</translation>
    </message>
    <message>
        <source>A: only in this document, B: only in the other</source>
        <translation>A：仅在此文档中，B：仅在另一文档中</translation>
    </message>
    <message>
        <source>Mean time A</source>
        <translation>平均时间 A</translation>
    </message>
    <message>
        <source>Mean time B</source>
        <translation>平均时间 B</translation>
    </message>
    <message>
        <source>B − A</source>
        <translation>B − A</translation>
    </message>
    <message>
        <source>Difference of mean times</source>
        <translation>平均时间之差</translation>
    </message>
    <message>
        <source>B : A</source>
        <translation>B : A</translation>
    </message>
    <message>
        <source>Ratio of mean times</source>
        <translation>平均时间之比</translation>
    </message>
    <message>
        <source>Bytes A</source>
        <translation>字节数 A</translation>
    </message>
    <message>
        <source>Bytes B</source>
        <translation>字节数 B</translation>
    </message>
    <message>
        <source>This file contains no graph.</source>
        <translation>此文件不包含计算图。</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>Position in the execution order</source>
        <translation>在执行顺序中的位置</translation>
    </message>
    <message>
        <source>Name in file</source>
        <translation>文件中的名称</translation>
    </message>
    <message>
        <source>Nodes of the model&apos;s file that it computes</source>
        <translation>它所计算的模型文件节点</translation>
    </message>
    <message>
        <source>Op in file</source>
        <translation>文件中的算子</translation>
    </message>
    <message>
        <source>Operators of these nodes</source>
        <translation>这些节点的算子</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>层</translation>
    </message>
    <message>
        <source>Shape</source>
        <translation>形状</translation>
    </message>
    <message>
        <source>Outermost dimension first</source>
        <translation>最外层维度在前</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>Bytes</source>
        <translation>字节数</translation>
    </message>
    <message>
        <source>Size of the result</source>
        <translation>结果大小</translation>
    </message>
    <message>
        <source>Offset</source>
        <translation>偏移</translation>
    </message>
    <message>
        <source>First byte in the arena</source>
        <translation>在内存区中的第一个字节</translation>
    </message>
    <message>
        <source>Block</source>
        <translation>内存块</translation>
    </message>
    <message>
        <source>Block that holds the tensor; the tensors of a block use it in sequence</source>
        <translation>容纳该张量的内存块；同一内存块的张量先后使用它</translation>
    </message>
    <message>
        <source>Mean time</source>
        <translation>平均时间</translation>
    </message>
    <message>
        <source>Longest</source>
        <translation>最长</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>Tasks</source>
        <translation>任务数</translation>
    </message>
    <message>
        <source>Number of chunks that it is split into</source>
        <translation>拆分成的分块数</translation>
    </message>
    <message>
        <source>Flops</source>
        <translation>运算量</translation>
    </message>
    <message>
        <source>Arithmetic operations</source>
        <translation>算术运算次数</translation>
    </message>
    <message>
        <source>This file contains no memory plan.</source>
        <translation>此文件不包含内存规划。</translation>
    </message>
    <message>
        <source>Tensors</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>Number of tensors that use it in sequence</source>
        <translation>先后使用它的张量数</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>步</translation>
    </message>
    <message>
        <source>First to last use</source>
        <translation>从首次使用到末次使用</translation>
    </message>
    <message>
        <source>Filled</source>
        <translation>填充率</translation>
    </message>
    <message>
        <source>Bytes × steps in use, as a share of the block&apos;s total</source>
        <translation>使用中的 字节×步 占该内存块全部的比例</translation>
    </message>
    <message>
        <source>Level</source>
        <translation>级别</translation>
    </message>
    <message>
        <source>Reuse level that merged its tensors; 0: none</source>
        <translation>合并其张量的复用级别；0：无</translation>
    </message>
    <message>
        <source>Used by</source>
        <translation>使用者</translation>
    </message>
    <message>
        <source>Its tensors in order of use</source>
        <translation>按使用先后排列的张量</translation>
    </message>
    <message>
        <source>This recording contains no object pool.</source>
        <translation>此记录中没有对象内存池。</translation>
    </message>
    <message>
        <source>Object</source>
        <translation>对象</translation>
    </message>
    <message>
        <source>Header at</source>
        <translation>对象头位置</translation>
    </message>
    <message>
        <source>Offset of its header in the pool</source>
        <translation>对象头在内存池中的偏移</translation>
    </message>
    <message>
        <source>Header</source>
        <translation>对象头</translation>
    </message>
    <message>
        <source>Bytes of its header</source>
        <translation>对象头的字节数</translation>
    </message>
    <message>
        <source>Object at</source>
        <translation>对象位置</translation>
    </message>
    <message>
        <source>Offset of the object in the pool</source>
        <translation>对象在内存池中的偏移</translation>
    </message>
    <message>
        <source>Size of the object, padding included</source>
        <translation>对象大小，含填充</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>下一个</translation>
    </message>
    <message>
        <source>Object that its next pointer refers to</source>
        <translation>next 指针指向的对象</translation>
    </message>
    <message>
        <source>Position in the plan&apos;s execution order</source>
        <translation>在规划的执行顺序中的位置</translation>
    </message>
    <message>
        <source>Node that runs in this step</source>
        <translation>在此步运行的节点</translation>
    </message>
    <message>
        <source>Live</source>
        <translation>存活</translation>
    </message>
    <message>
        <source>Total bytes of the live tensors</source>
        <translation>存活张量的总字节数</translation>
    </message>
    <message>
        <source>Number of live tensors in this step</source>
        <translation>此步中存活的张量数</translation>
    </message>
    <message>
        <source>% of lower bound</source>
        <translation>占下界</translation>
    </message>
    <message>
        <source>Live bytes as a share of the lower bound, the largest sum of live bytes</source>
        <translation>存活字节占下界（存活字节之和的最大值）的比例</translation>
    </message>
    <message>
        <source>Free in arena</source>
        <translation>内存区空闲</translation>
    </message>
    <message>
        <source>Unused arena bytes in this step</source>
        <translation>此步中内存区内未使用的字节</translation>
    </message>
    <message>
        <source>First step</source>
        <translation>首步</translation>
    </message>
    <message>
        <source>Step that writes it</source>
        <translation>写入它的步骤</translation>
    </message>
    <message>
        <source>End step</source>
        <translation>终止步</translation>
    </message>
    <message>
        <source>First step after its last use</source>
        <translation>最后一次使用之后的第一步</translation>
    </message>
    <message>
        <source>Number of steps during which it is live</source>
        <translation>存活的步数</translation>
    </message>
    <message>
        <source>Planned size, rounded up to the alignment</source>
        <translation>规划的大小，已按对齐向上取整</translation>
    </message>
    <message>
        <source>Reuse</source>
        <translation>复用</translation>
    </message>
    <message>
        <source>How its block was chosen</source>
        <translation>其内存块的确定方式</translation>
    </message>
    <message>
        <source>In place of</source>
        <translation>原地取代</translation>
    </message>
    <message>
        <source>Tensor that it overwrites in place</source>
        <translation>被它原地覆盖的张量</translation>
    </message>
    <message>
        <source>Nothing ran.</source>
        <translation>没有运行过。</translation>
    </message>
    <message>
        <source>Thread</source>
        <translation>线程</translation>
    </message>
    <message>
        <source>Worker, device queue or copy engine</source>
        <translation>工作线程、设备队列或复制引擎</translation>
    </message>
    <message>
        <source>What</source>
        <translation>内容</translation>
    </message>
    <message>
        <source>Node executed, barrier wait or copy</source>
        <translation>执行的节点、屏障等待或复制</translation>
    </message>
    <message>
        <source>Begin</source>
        <translation>开始</translation>
    </message>
    <message>
        <source>Since the beginning of the recording</source>
        <translation>自记录开始</translation>
    </message>
    <message>
        <source>Duration</source>
        <translation>时长</translation>
    </message>
    <message>
        <source>From begin to end</source>
        <translation>从开始到结束</translation>
    </message>
    <message>
        <source>Step B</source>
        <translation>步 B</translation>
    </message>
    <message>
        <source>Offset B</source>
        <translation>偏移 B</translation>
    </message>
    <message>
        <source>Block B</source>
        <translation>内存块 B</translation>
    </message>
    <message>
        <source>Block in B with the most tensors in common</source>
        <translation>B 中共有张量最多的内存块</translation>
    </message>
    <message>
        <source>Waited B</source>
        <translation>等待 B</translation>
    </message>
    <message>
        <source>Difference of the total waits</source>
        <translation>等待合计之差</translation>
    </message>
    <message>
        <source>Peak active B</source>
        <translation>峰值 B</translation>
    </message>
    <message>
        <source>Difference of the peaks</source>
        <translation>峰值之差</translation>
    </message>
    <message>
        <source>Arena B</source>
        <translation>内存区 B</translation>
    </message>
    <message>
        <source>Same planner and order in B</source>
        <translation>B 中同样的规划器和顺序</translation>
    </message>
    <message>
        <source>Difference of the arenas</source>
        <translation>内存区之差</translation>
    </message>
    <message>
        <source>Nothing to compare with. “Compare ▸ Compare with File…” opens a recording or a model.</source>
        <translation>没有可比较的内容。“比较 ▸ 与文件比较…”可打开一个记录或模型。</translation>
    </message>
    <message>
        <source>Name in B</source>
        <translation>在 B 中的名称</translation>
    </message>
    <message>
        <source>Shown only if the name differs</source>
        <translation>仅在名称不同时显示</translation>
    </message>
    <message>
        <source>Bytes B − A</source>
        <translation>字节 B − A</translation>
    </message>
    <message>
        <source>The plan has no holes.</source>
        <translation>该规划没有空洞。</translation>
    </message>
    <message>
        <source>Unused bytes below a live tensor</source>
        <translation>存活张量下方未使用的字节</translation>
    </message>
    <message>
        <source>While the hole exists</source>
        <translation>空洞存在期间</translation>
    </message>
    <message>
        <source>Byte steps</source>
        <translation>字节·步</translation>
    </message>
    <message>
        <source>Bytes × steps: total waste of the hole</source>
        <translation>字节 × 步数：空洞的总浪费</translation>
    </message>
    <message>
        <source>Above it</source>
        <translation>其上方</translation>
    </message>
    <message>
        <source>Tensor that could not be placed into it</source>
        <translation>未能放入其中的张量</translation>
    </message>
    <message>
        <source>Blocked by</source>
        <translation>受阻于</translation>
    </message>
    <message>
        <source>Tensor at this address at another time of that tensor&apos;s lifetime</source>
        <translation>在该张量生命周期的其他时刻占据此地址的张量</translation>
    </message>
    <message>
        <source>No tuning results: only device kernels are tuned, while they run.</source>
        <translation>没有调优结果：只有设备内核会在运行时调优。</translation>
    </message>
    <message>
        <source>variant %1</source>
        <translation>变体 %1</translation>
    </message>
    <message>
        <source>Kernel</source>
        <translation>内核</translation>
    </message>
    <message>
        <source>Work items</source>
        <translation>工作项</translation>
    </message>
    <message>
        <source>Global size or shape that the choice applies to</source>
        <translation>该选择所适用的全局大小或形状</translation>
    </message>
    <message>
        <source>Group size</source>
        <translation>工作组大小</translation>
    </message>
    <message>
        <source>Work items per group, or which of several kernels was chosen</source>
        <translation>每个工作组的工作项数，或选中了多个内核中的哪一个</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Time of the best candidate; empty if chosen by rule</source>
        <translation>最佳候选的用时；按规则选定时为空</translation>
    </message>
    <message>
        <source>Tried</source>
        <translation>尝试次数</translation>
    </message>
    <message>
        <source>Number of candidates measured</source>
        <translation>测量过的候选数</translation>
    </message>
    <message>
        <source>Tuning effort: none, fast, normal, wide or heavy</source>
        <translation>调优力度：none、fast、normal、wide 或 heavy</translation>
    </message>
    <message>
        <source>From</source>
        <translation>来源</translation>
    </message>
    <message>
        <source>Measured by this run, by an earlier run, or chosen by a rule</source>
        <translation>由本次运行测得、由先前的运行测得，或按规则选定</translation>
    </message>
    <message>
        <source>an earlier run</source>
        <translation>先前的运行</translation>
    </message>
    <message>
        <source>this run</source>
        <translation>本次运行</translation>
    </message>
    <message>
        <source>a rule</source>
        <translation>规则</translation>
    </message>
    <message>
        <source>Too many tensors for this table.</source>
        <translation>张量太多，此表无法显示。</translation>
    </message>
    <message>
        <source>Byte seconds</source>
        <translation>字节·秒</translation>
    </message>
    <message>
        <source>Bytes × seconds: total waste of the hole</source>
        <translation>字节 × 秒：空洞的总浪费</translation>
    </message>
    <message>
        <source>Wall time per run, from the begin of the first chunk to the end of the last; excludes the cold first run if there are others</source>
        <translation>每次运行的实际用时，从第一个分块开始到最后一个分块结束；有其他运行时不含冷启动的第一次</translation>
    </message>
    <message>
        <source>Median</source>
        <translation>中位数</translation>
    </message>
    <message>
        <source>Median of its wall times, one per run</source>
        <translation>各次运行实际用时的中位数</translation>
    </message>
    <message>
        <source>Quartile 1</source>
        <translation>第一四分位数</translation>
    </message>
    <message>
        <source>25th percentile, interpolated</source>
        <translation>第 25 百分位数（插值）</translation>
    </message>
    <message>
        <source>Quartile 3</source>
        <translation>第三四分位数</translation>
    </message>
    <message>
        <source>75th percentile, interpolated</source>
        <translation>第 75 百分位数（插值）</translation>
    </message>
    <message>
        <source>Longest of its wall times</source>
        <translation>最长的一次实际用时</translation>
    </message>
    <message>
        <source>Busy</source>
        <translation>忙碌</translation>
    </message>
    <message>
        <source>Total time of its chunks, mean per run</source>
        <translation>各分块用时之和，每次运行平均</translation>
    </message>
    <message>
        <source>First run</source>
        <translation>第一次运行</translation>
    </message>
    <message>
        <source>Wall time in the first run of this plan, when caches were cold</source>
        <translation>此规划第一次运行的实际用时，当时缓存是冷的</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>运行次数</translation>
    </message>
    <message>
        <source>Number of runs that the times are from</source>
        <translation>这些时间所来自的运行次数</translation>
    </message>
    <message>
        <source>%1, cold</source>
        <translation>%1，冷启动</translation>
    </message>
    <message>
        <source>%1, incomplete</source>
        <translation>%1，不完整</translation>
    </message>
    <message>
        <source>Total barrier wait afterwards, all threads, mean per run</source>
        <translation>其后的屏障等待，所有线程合计，每次运行平均</translation>
    </message>
    <message>
        <source>●: plan of the current run; ○: plan shown in its place</source>
        <translation>●：当前运行的规划；○：代替它显示的规划</translation>
    </message>
    <message>
        <source>Allocator that owns its space</source>
        <translation>拥有其所在空间的分配器</translation>
    </message>
    <message>
        <source>First byte</source>
        <translation>首字节</translation>
    </message>
    <message>
        <source>Size of the largest block at this address</source>
        <translation>此地址上最大内存块的大小</translation>
    </message>
    <message>
        <source>Blocks</source>
        <translation>内存块</translation>
    </message>
    <message>
        <source>Number of blocks at this address, in sequence</source>
        <translation>此地址上先后的内存块数</translation>
    </message>
    <message>
        <source>Share of the time in which one of them was allocated</source>
        <translation>其中之一处于已分配状态的时间比例</translation>
    </message>
    <message>
        <source>Blocks at this address, in time order</source>
        <translation>此地址上的内存块，按时间顺序</translation>
    </message>
    <message>
        <source>All reserved memory was in use all the time.</source>
        <translation>已预留的内存一直在使用。</translation>
    </message>
    <message>
        <source>end of the space</source>
        <translation>空间末尾</translation>
    </message>
    <message>
        <source>Unused bytes of a space</source>
        <translation>空间中未使用的字节</translation>
    </message>
    <message>
        <source>Space</source>
        <translation>空间</translation>
    </message>
    <message>
        <source>Size of the containing space</source>
        <translation>所在空间的大小</translation>
    </message>
    <message>
        <source>Below it</source>
        <translation>其下</translation>
    </message>
    <message>
        <source>Block located there when the hole appeared</source>
        <translation>空洞出现时位于该处的内存块</translation>
    </message>
    <message>
        <source>Requested memory kind</source>
        <translation>请求的内存类别</translation>
    </message>
    <message>
        <source>Bytes of the allocated block</source>
        <translation>所分配内存块的字节数</translation>
    </message>
    <message>
        <source>Waste</source>
        <translation>浪费</translation>
    </message>
    <message>
        <source>Bytes of the block that were not requested</source>
        <translation>内存块中未被请求的字节</translation>
    </message>
    <message>
        <source>Lifetime</source>
        <translation>生命周期</translation>
    </message>
    <message>
        <source>From allocation to free</source>
        <translation>从分配到释放</translation>
    </message>
    <message>
        <source>%1, not freed</source>
        <translation>%1，尚未释放</translation>
    </message>
    <message>
        <source>Too many points in time for this table.</source>
        <translation>时刻过多，此表无法显示。</translation>
    </message>
    <message>
        <source>Allocated bytes, excluding weights</source>
        <translation>已分配的字节，不含权重</translation>
    </message>
    <message>
        <source>Bytes of the spaces</source>
        <translation>空间的字节数</translation>
    </message>
    <message>
        <source>Unused bytes of the spaces</source>
        <translation>空间中未使用的字节</translation>
    </message>
    <message>
        <source>Number of allocated blocks</source>
        <translation>已分配的内存块数</translation>
    </message>
    <message>
        <source>Budget</source>
        <translation>预算</translation>
    </message>
    <message>
        <source>Search time limit of the planner; empty if it does not search</source>
        <translation>规划器的搜索时间上限；不搜索的规划器为空</translation>
    </message>
    <message>
        <source>new block at %1</source>
        <translation>新内存块，位于 %1</translation>
    </message>
    <message>
        <source>placed in block %1 at %2</source>
        <translation>放入内存块 %1 的 %2 处</translation>
    </message>
    <message>
        <source>overlaps block %1: deferred</source>
        <translation>与内存块 %1 重叠：推迟</translation>
    </message>
    <message>
        <source>block %1 has no free range for it: deferred</source>
        <translation>内存块 %1 没有足够的空闲区间：推迟</translation>
    </message>
    <message>
        <source>The plan has no tensors to place.</source>
        <translation>规划中没有要放置的张量。</translation>
    </message>
    <message>
        <source>↓ steps through it</source>
        <translation>按 ↓ 逐步查看</translation>
    </message>
    <message>
        <source>1: tensors of equal size form a block; 2: blocks are placed into larger ones</source>
        <translation>1：大小相同的张量组成一个内存块；2：内存块放入更大的内存块</translation>
    </message>
    <message>
        <source>Position in the list sorted by decreasing size</source>
        <translation>在从大到小排序的列表中的位置</translation>
    </message>
    <message>
        <source>Action</source>
        <translation>操作</translation>
    </message>
    <message numerus="yes">
        <source>%n tensor(s) of equal size, in sequence</source>
        <translation>
            <numerusform>%n 个大小相同的张量，先后使用</numerusform>
        </translation>
    </message>
    <message>
        <source>one tensor</source>
        <translation>一个张量</translation>
    </message>
    <message>
        <source>Steps, from its first tensor to its last</source>
        <translation>步，从第一个张量到最后一个</translation>
    </message>
    <message>
        <source>Remaining</source>
        <translation>剩余</translation>
    </message>
    <message>
        <source>Level 1: blocks so far; level 2: blocks not yet placed</source>
        <translation>第 1 级：目前的内存块；第 2 级：尚未放置的内存块</translation>
    </message>
    <message>
        <source>Total size placed so far</source>
        <translation>目前已放置的总大小</translation>
    </message>
    <message>
        <source>GE&apos;s rules find nothing to move.</source>
        <translation>GE 的规则找不到可移动的节点。</translation>
    </message>
    <message>
        <source>Default order, the starting point</source>
        <translation>作为起点的默认顺序</translation>
    </message>
    <message>
        <source>Rule</source>
        <translation>规则</translation>
    </message>
    <message>
        <source>Type: it reads only leaf tensors. Lifetime: one of its inputs stays live anyway</source>
        <translation>类型：只读取叶张量。生命周期：它的某个输入反正会继续存活</translation>
    </message>
    <message>
        <source>type</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>lifetime</source>
        <translation>生命周期</translation>
    </message>
    <message>
        <source>Moves to before</source>
        <translation>移动到此节点之前</translation>
    </message>
    <message>
        <source>Its first user</source>
        <translation>它的第一个使用者</translation>
    </message>
    <message>
        <source>Its position in the execution order</source>
        <translation>它在执行顺序中的位置</translation>
    </message>
    <message>
        <source>To</source>
        <translation>到</translation>
    </message>
    <message>
        <source>Bytes of its result that are no longer live between the two steps</source>
        <translation>其结果在两步之间不再存活的字节</translation>
    </message>
    <message>
        <source>Peak before</source>
        <translation>之前的峰值</translation>
    </message>
    <message>
        <source>Peak after</source>
        <translation>之后的峰值</translation>
    </message>
    <message>
        <source>Applied</source>
        <translation>已采用</translation>
    </message>
    <message>
        <source>The moves of an order are applied if they lower its peak</source>
        <translation>一个顺序的移动只有在降低其峰值时才采用</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>是</translation>
    </message>
    <message>
        <source>no</source>
        <translation>否</translation>
    </message>
    <message>
        <source>Unallocated</source>
        <translation>未分配</translation>
    </message>
    <message>
        <source>Reserved but not allocated: cached for the next request, or waste inside blocks</source>
        <translation>已预留但未分配：为下一个请求缓存，或内存块内的浪费</translation>
    </message>
    <message>
        <source>Reserved changes</source>
        <translation>预留变化</translation>
    </message>
    <message>
        <source>Reservations and releases together: how often memory was obtained from the system or released to it</source>
        <translation>预留与归还的总次数：从系统获得内存或归还系统的次数</translation>
    </message>
    <message>
        <source>No counters.</source>
        <translation>没有计数器。</translation>
    </message>
    <message>
        <source>Counter</source>
        <translation>计数器</translation>
    </message>
    <message>
        <source>Unit</source>
        <translation>单位</translation>
    </message>
    <message>
        <source>Min</source>
        <translation>最小</translation>
    </message>
    <message>
        <source>Max</source>
        <translation>最大</translation>
    </message>
    <message>
        <source>Samples</source>
        <translation>样本数</translation>
    </message>
    <message>
        <source>Hits</source>
        <translation>命中</translation>
    </message>
    <message>
        <source>Requests served from reserved memory</source>
        <translation>由已预留内存满足的请求</translation>
    </message>
    <message>
        <source>Misses</source>
        <translation>未命中</translation>
    </message>
    <message>
        <source>Requests that required a new reservation</source>
        <translation>需要新预留内存的请求</translation>
    </message>
    <message>
        <source>Cached</source>
        <translation>已缓存</translation>
    </message>
    <message>
        <source>Reserved and available for reuse</source>
        <translation>已预留，可供复用</translation>
    </message>
    <message>
        <source>Held by rounding and by frees that wait for a stream</source>
        <translation>因取整以及等待流的释放而占住的部分</translation>
    </message>
    <message>
        <source>Fragmentation</source>
        <translation>碎片率</translation>
    </message>
    <message>
        <source>Share of the free memory that a single request could not get</source>
        <translation>空闲内存中单个请求无法获得的比例</translation>
    </message>
    <message>
        <source>Deferred, stream %1</source>
        <translation>推迟，流 %1</translation>
    </message>
    <message>
        <source>Freed, but held until the stream that uses it has finished</source>
        <translation>已释放，但要等使用它的流执行完毕</translation>
    </message>
    <message>
        <source>Requested</source>
        <translation>请求</translation>
    </message>
    <message>
        <source>Bytes requested by the current holder, or by the last one if free</source>
        <translation>当前占用者请求的字节；空闲时为上一个占用者请求的字节</translation>
    </message>
    <message>
        <source>Bytes of the block beyond the request</source>
        <translation>内存块中请求以外的字节</translation>
    </message>
    <message>
        <source>Storage</source>
        <translation>存储</translation>
    </message>
    <message>
        <source>A buffer, or an image with its texels</source>
        <translation>缓冲区，或图像及其纹素</translation>
    </message>
    <message>
        <source>Use</source>
        <translation>用途类型</translation>
    </message>
    <message>
        <source>Dynamic: allocated and freed repeatedly; static: long-lived, such as weights; separate: a single tensor</source>
        <translation>动态：反复分配和释放；静态：长期保留，如权重；独立：单个张量</translation>
    </message>
    <message>
        <source>Tensor</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>Tensor stored there now, if the device reports it</source>
        <translation>当前存放其中的张量（若设备报告）</translation>
    </message>
    <message>
        <source>image of %1</source>
        <translation>图像 %1</translation>
    </message>
    <message>
        <source>buffer</source>
        <translation>缓冲区</translation>
    </message>
    <message>
        <source>static</source>
        <translation>静态</translation>
    </message>
    <message>
        <source>separate</source>
        <translation>独立</translation>
    </message>
    <message>
        <source>dynamic</source>
        <translation>动态</translation>
    </message>
    <message>
        <source>Candidates</source>
        <translation>候选</translation>
    </message>
    <message>
        <source>Candidates with their times, fastest first; – for those that could not run</source>
        <translation>各候选及其用时，最快者在前；无法运行的记为 –</translation>
    </message>
    <message>
        <source>result for %1</source>
        <translation>%1 的结果</translation>
    </message>
    <message>
        <source>references</source>
        <translation>引用计数</translation>
    </message>
    <message>
        <source>data</source>
        <translation>数据</translation>
    </message>
    <message>
        <source>padding</source>
        <translation>填充</translation>
    </message>
    <message>
        <source>sizes and pointers</source>
        <translation>大小与指针</translation>
    </message>
    <message>
        <source>other</source>
        <translation>其他</translation>
    </message>
    <message>
        <source>%1 used</source>
        <translation>已用 %1</translation>
    </message>
    <message>
        <source>+%1 %2: %3</source>
        <translation>+%1 %2：%3</translation>
    </message>
    <message>
        <source>Bytes of this part of the object</source>
        <translation>对象中此部分的字节数</translation>
    </message>
    <message>
        <source>Number of nodes of the graph</source>
        <translation>计算图中的节点数</translation>
    </message>
    <message>
        <source>Sum of its nodes&apos; mean times per run</source>
        <translation>其各节点每次运行平均时间之和</translation>
    </message>
    <message>
        <source>Share</source>
        <translation>占比</translation>
    </message>
    <message>
        <source>Share of the time of all nodes</source>
        <translation>占所有节点时间的比例</translation>
    </message>
    <message>
        <source>Total size of its results</source>
        <translation>其结果的总大小</translation>
    </message>
    <message>
        <source>Slowest</source>
        <translation>最慢</translation>
    </message>
    <message>
        <source>Node with the longest time</source>
        <translation>耗时最长的节点</translation>
    </message>
    <message>
        <source>Kernels</source>
        <translation>内核</translation>
    </message>
    <message>
        <source>Kernels executed by the device in this run</source>
        <translation>设备在本次运行中执行的内核</translation>
    </message>
    <message>
        <source>Reserved memory was not recorded.</source>
        <translation>未记录预留内存。</translation>
    </message>
    <message>
        <source>This file contains no call stacks of allocations.</source>
        <translation>此文件不包含分配的调用栈。</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>At the peak</source>
        <translation>峰值时</translation>
    </message>
    <message>
        <source>Live bytes at the peak</source>
        <translation>峰值时的存活字节</translation>
    </message>
    <message>
        <source>Allocated</source>
        <translation>已分配</translation>
    </message>
    <message>
        <source>Bytes allocated at this call site</source>
        <translation>该调用点分配的字节数</translation>
    </message>
    <message>
        <source>Call site</source>
        <translation>调用点</translation>
    </message>
    <message>
        <source>Innermost frame outside PyTorch and the system&apos;s libraries</source>
        <translation>PyTorch 和系统库之外最内层的栈帧</translation>
    </message>
    <message>
        <source>Share of the peak</source>
        <translation>占峰值的比例</translation>
    </message>
    <message>
        <source>Live allocations at the peak</source>
        <translation>峰值时存活的分配数</translation>
    </message>
    <message>
        <source>Allocations</source>
        <translation>分配数</translation>
    </message>
    <message>
        <source>Number of allocations at this call site</source>
        <translation>该调用点的分配次数</translation>
    </message>
    <message>
        <source>This file contains no call stacks, spans or times of nodes.</source>
        <translation>此文件不包含调用栈、区间或节点时间。</translation>
    </message>
    <message>
        <source>Self</source>
        <translation>自身</translation>
    </message>
    <message>
        <source>Without the frames that it encloses</source>
        <translation>不含其包含的帧</translation>
    </message>
    <message>
        <source>Frame</source>
        <translation>帧</translation>
    </message>
    <message>
        <source>Function, span, layer or node</source>
        <translation>函数、区间、层或节点</translation>
    </message>
    <message>
        <source>Total</source>
        <translation>合计</translation>
    </message>
    <message>
        <source>With the frames that it encloses</source>
        <translation>含其包含的帧</translation>
    </message>
    <message>
        <source>Share of the total weight</source>
        <translation>占总权重的比例</translation>
    </message>
    <message>
        <source>Count</source>
        <translation>数量</translation>
    </message>
    <message>
        <source>Allocations, spans or nodes that end in this frame</source>
        <translation>以此帧结束的分配、区间或节点</translation>
    </message>
    <message>
        <source>Within</source>
        <translation>所在帧</translation>
    </message>
    <message>
        <source>The frame that encloses it</source>
        <translation>包含它的帧</translation>
    </message>
    <message>
        <source>Depth</source>
        <translation>深度</translation>
    </message>
    <message>
        <source>Number of frames that enclose it</source>
        <translation>包含它的帧数</translation>
    </message>
    <message>
        <source>Operations per second at its median time</source>
        <translation>按其中位时间计算的每秒运算数</translation>
    </message>
    <message>
        <source>Bytes of its result and inputs per second, at its median time</source>
        <translation>按其中位时间计算的每秒字节数（结果与输入）</translation>
    </message>
    <message>
        <source>Arithmetic intensity: operations per byte of its result and inputs</source>
        <translation>计算强度：其结果与输入每字节的运算数</translation>
    </message>
    <message>
        <source>Spans</source>
        <translation>区间数</translation>
    </message>
    <message>
        <source>Number of spans with this name</source>
        <translation>该名称的区间数</translation>
    </message>
    <message>
        <source>Sum of durations within the range, including nested spans</source>
        <translation>其在该范围内的时长之和，包括嵌套区间</translation>
    </message>
    <message>
        <source>Share of the sum over all names</source>
        <translation>占所有名称之和的比例</translation>
    </message>
    <message>
        <source>Mean</source>
        <translation>平均</translation>
    </message>
    <message>
        <source>Mean time of a span within the range</source>
        <translation>一个区间在该范围内的平均时间</translation>
    </message>
    <message>
        <source>50th percentile, interpolated</source>
        <translation>第 50 百分位数（插值）</translation>
    </message>
    <message>
        <source>90th percentile, interpolated</source>
        <translation>第 90 百分位数（插值）</translation>
    </message>
    <message>
        <source>99th percentile, interpolated</source>
        <translation>第 99 百分位数（插值）</translation>
    </message>
    <message>
        <source>Longest duration; a click selects this span</source>
        <translation>最长时长；单击可选中该区间</translation>
    </message>
    <message>
        <source>No spans in the selected range.</source>
        <translation>所选范围内没有区间。</translation>
    </message>
    <message>
        <source>No spans were recorded.</source>
        <translation>没有记录区间。</translation>
    </message>
    <message>
        <source>GFLOP/s</source>
        <translation>GFLOP/s</translation>
    </message>
    <message>
        <source>GB/s</source>
        <translation>GB/s</translation>
    </message>
    <message>
        <source>FLOP/B</source>
        <translation>FLOP/B</translation>
    </message>
    <message>
        <source>p50</source>
        <translation>p50</translation>
    </message>
    <message>
        <source>p90</source>
        <translation>p90</translation>
    </message>
    <message>
        <source>p99</source>
        <translation>p99</translation>
    </message>
    <message>
        <source>No notes. View ▸ Pin a Note Here (N) adds one at the playhead or for the selected range.</source>
        <translation>没有注释。“视图 ▸ 在此固定注释” (N) 在播放位置或为所选范围添加注释。</translation>
    </message>
    <message>
        <source>Of a range</source>
        <translation>范围的</translation>
    </message>
    <message>
        <source>From the start of the recording</source>
        <translation>从记录开始</translation>
    </message>
    <message>
        <source>End</source>
        <translation>结束</translation>
    </message>
    <message>
        <source>Not drawn</source>
        <translation>未绘制</translation>
    </message>
    <message>
        <source>Why the node has no point</source>
        <translation>节点没有数据点的原因</translation>
    </message>
</context>
<context>
    <name>arenascope::views::TensorTable</name>
    <message>
        <source>row %1, column %2: %3</source>
        <translation>第 %1 行第 %2 列：%3</translation>
    </message>
</context>
<context>
    <name>arenascope::views::TensorView</name>
    <message>
        <source>%1 values from %2 to %3</source>
        <translation>%2 至 %3 之间有 %1 个值</translation>
    </message>
    <message>
        <source>row %1, column %2: %3</source>
        <translation>第 %1 行第 %2 列：%3</translation>
    </message>
    <message>
        <source>No values.</source>
        <translation>没有数值。</translation>
    </message>
    <message>
        <source>%1, %2 values</source>
        <translation>%1，%2 个值</translation>
    </message>
    <message>
        <source>min %1 · max %2 · mean %3 · deviation %4</source>
        <translation>最小 %1 · 最大 %2 · 平均 %3 · 标准差 %4</translation>
    </message>
    <message>
        <source>no finite values</source>
        <translation>没有有限值</translation>
    </message>
    <message>
        <source>NaN %1 · +Inf %2 · −Inf %3 · zeros %4</source>
        <translation>NaN %1 · +Inf %2 · −Inf %3 · 零 %4</translation>
    </message>
    <message>
        <source>Histogram</source>
        <translation>直方图</translation>
    </message>
    <message>
        <source>Heat map</source>
        <translation>热图</translation>
    </message>
    <message>
        <source>Table</source>
        <translation>表格</translation>
    </message>
    <message>
        <source>Histogram of the values</source>
        <translation>数值直方图</translation>
    </message>
    <message>
        <source>Heat map of a slice</source>
        <translation>切片热图</translation>
    </message>
    <message>
        <source>Values of a slice</source>
        <translation>切片数值</translation>
    </message>
    <message>
        <source>Slice</source>
        <translation>切片</translation>
    </message>
    <message>
        <source>Slice %1</source>
        <translation>切片 %1</translation>
    </message>
</context>
<context>
    <name>arenascope::views::TimelineView</name>
    <message>
        <source>layer</source>
        <translation>层</translation>
    </message>
    <message>
        <source>layer %1</source>
        <translation>层 %1</translation>
    </message>
    <message>
        <source>steps %1 to %2</source>
        <translation>第 %1 步至第 %2 步</translation>
    </message>
    <message>
        <source>paused after %1</source>
        <translation>在 %1 之后暂停</translation>
    </message>
    <message>
        <source>between nodes, after %1</source>
        <translation>节点之间，在 %1 之后</translation>
    </message>
    <message>
        <source>%1 busy</source>
        <translation>忙碌 %1</translation>
    </message>
    <message>
        <source>%1 waiting at barriers</source>
        <translation>屏障等待 %1</translation>
    </message>
    <message>
        <source>work</source>
        <translation>计算</translation>
    </message>
    <message>
        <source>barrier wait</source>
        <translation>屏障等待</translation>
    </message>
    <message>
        <source>copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>last arriver</source>
        <translation>最后到达者</translation>
    </message>
    <message>
        <source>node</source>
        <translation>节点</translation>
    </message>
    <message>
        <source>step %1: %2</source>
        <translation>第 %1 步：%2</translation>
    </message>
    <message>
        <source>%1 spans in %2</source>
        <translation>%2 内 %1 个区间</translation>
    </message>
    <message>
        <source>work %1, waiting %2</source>
        <translation>计算 %1，等待 %2</translation>
    </message>
    <message>
        <source>the longest: %1, %2</source>
        <translation>最长：%1，%2</translation>
    </message>
    <message>
        <source>barrier wait after %1</source>
        <translation>%1 之后的屏障等待</translation>
    </message>
    <message>
        <source>copy for %1</source>
        <translation>为 %1 复制</translation>
    </message>
    <message>
        <source>%1 per second</source>
        <translation>每秒 %1</translation>
    </message>
    <message>
        <source>chunk %1</source>
        <translation>分块 %1</translation>
    </message>
    <message>
        <source>one of %1 consecutive nodes without a barrier</source>
        <translation>连续 %1 个没有屏障的节点之一</translation>
    </message>
    <message>
        <source>%1, from %2</source>
        <translation>%1，自 %2</translation>
    </message>
    <message>
        <source>last arriver %1; the others waited %2 in total</source>
        <translation>最后到达者 %1；其他线程共等待 %2</translation>
    </message>
    <message>
        <source>no barrier before it: %1 consecutive nodes</source>
        <translation>此前没有屏障：连续 %1 个节点</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>时间线</translation>
    </message>
    <message>
        <source>B: %1 busy</source>
        <translation>B：忙碌 %1</translation>
    </message>
    <message>
        <source>B: compared with</source>
        <translation>B：比较对象</translation>
    </message>
    <message>
        <source>B %1</source>
        <translation>B %1</translation>
    </message>
    <message>
        <source>B: %1</source>
        <translation>B：%1</translation>
    </message>
    <message>
        <source>excludes a %1 pause</source>
        <translation>不含 %1 的暂停</translation>
    </message>
    <message>
        <source>device clock ± %1</source>
        <translation>设备时钟 ± %1</translation>
    </message>
    <message>
        <source>paused, %1</source>
        <translation>暂停，%1</translation>
    </message>
    <message>
        <source>No run recorded, so there are no timings.</source>
        <translation>没有记录运行，因此没有时间数据。</translation>
    </message>
    <message>
        <source>No timing in this file.</source>
        <translation>此文件中没有时间数据。</translation>
    </message>
    <message>
        <source>Rows Pinned to the Top</source>
        <translation>固定在顶部的行</translation>
    </message>
    <message>
        <source>observed</source>
        <translation>实测</translation>
    </message>
    <message>
        <source>kernel %1</source>
        <translation>内核 %1</translation>
    </message>
    <message>
        <source>%1, at %2</source>
        <translation>%1，位于 %2</translation>
    </message>
    <message>
        <source>Colour Spans by</source>
        <translation>区间着色依据</translation>
    </message>
</context>
<context>
    <name>arenascope::views::DisplayNames</name>
    <message>
        <source>%1 (%2 bytes)</source>
        <translation>%1（%2 字节）</translation>
    </message>
    <message>
        <source>scalar</source>
        <translation>标量</translation>
    </message>
    <message>
        <source>size unknown</source>
        <translation>大小未知</translation>
    </message>
    <message>
        <source>Default</source>
        <translation>默认</translation>
    </message>
    <message>
        <source>Persistent</source>
        <translation>常驻</translation>
    </message>
    <message>
        <source>Workspace</source>
        <translation>工作区</translation>
    </message>
    <message>
        <source>KV cache</source>
        <translation>KV 缓存</translation>
    </message>
    <message>
        <source>Host, pinned</source>
        <translation>主机，锁页</translation>
    </message>
    <message>
        <source>Host, pageable</source>
        <translation>主机，可分页</translation>
    </message>
    <message>
        <source>Mapped weights</source>
        <translation>内存映射权重</translation>
    </message>
    <message>
        <source>worker thread</source>
        <translation>工作线程</translation>
    </message>
    <message>
        <source>device queue</source>
        <translation>设备队列</translation>
    </message>
    <message>
        <source>copy engine</source>
        <translation>复制引擎</translation>
    </message>
    <message>
        <source>thread</source>
        <translation>线程</translation>
    </message>
    <message>
        <source>weight</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>parameter</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>input</source>
        <translation>输入</translation>
    </message>
    <message>
        <source>output</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>view</source>
        <translation>视图</translation>
    </message>
    <message>
        <source>intermediate result</source>
        <translation>中间结果</translation>
    </message>
    <message>
        <source>leaf %1</source>
        <translation>叶张量 %1</translation>
    </message>
    <message>
        <source>node %1</source>
        <translation>节点 %1</translation>
    </message>
</context>
<context>
    <name>arenascope::views::PoolsView</name>
    <message>
        <source>Pools</source>
        <translation>内存池</translation>
    </message>
    <message>
        <source>Memory held by allocators, block by block. The table next to it has the same content.</source>
        <translation>分配器持有的内存，逐块显示。旁边的表格内容相同。</translation>
    </message>
    <message>
        <source>images, %1</source>
        <translation>图像，%1</translation>
    </message>
    <message>
        <source>buffers, %1</source>
        <translation>缓冲区，%1</translation>
    </message>
    <message>
        <source>No allocator holds any memory.</source>
        <translation>没有分配器持有内存。</translation>
    </message>
    <message>
        <source>%1, %2
block %3, requested %4, waste %5
allocated %6 times</source>
        <translation>%1，%2
内存块 %3，请求 %4，浪费 %5
分配 %6 次</translation>
    </message>
</context>
<context>
    <name>arenascope::app::Saver</name>
    <message>
        <source>Saving %1 was cancelled.</source>
        <translation>已取消保存 %1。</translation>
    </message>
    <message>
        <source>Saving %1…</source>
        <translation>正在保存 %1…</translation>
    </message>
</context>
<context>
    <name>arenascope::app::LaboratoryPanel</name>
    <message>
        <source>defaults</source>
        <translation>默认</translation>
    </message>
    <message>
        <source>as recorded</source>
        <translation>原记录</translation>
    </message>
    <message>
        <source>own (%1)</source>
        <translation>自身设置（%1）</translation>
    </message>
    <message>
        <source>empty</source>
        <translation>空</translation>
    </message>
    <message>
        <source>recorded</source>
        <translation>记录时的状态</translation>
    </message>
    <message>
        <source>observed</source>
        <translation>实测</translation>
    </message>
    <message>
        <source>simulated: does not fit, %1 allocated before the first request</source>
        <translation>模拟：放不下，首个请求之前已分配 %1</translation>
    </message>
    <message>
        <source>simulated: does not fit, %1 at request %2, %3 in use</source>
        <translation>模拟：放不下，第 %2 个请求的 %1，已用 %3</translation>
    </message>
    <message>
        <source>derived: %1 of %2 at the recorded address</source>
        <translation>推导：%2 个中有 %1 个在记录的地址</translation>
    </message>
    <message>
        <source>simulated, unused memory released %1×</source>
        <translation>模拟，释放未用内存 %1 次</translation>
    </message>
    <message>
        <source>simulated</source>
        <translation>模拟</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>起始状态</translation>
    </message>
    <message>
        <source>Reserved</source>
        <translation>已预留</translation>
    </message>
    <message>
        <source>In use</source>
        <translation>使用中</translation>
    </message>
    <message>
        <source>Free segments</source>
        <translation>空闲段</translation>
    </message>
    <message>
        <source>Free fragments</source>
        <translation>空闲碎片</translation>
    </message>
    <message>
        <source>Other streams</source>
        <translation>其他流</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>“%1” is not a size. Example: 8 GiB.</source>
        <translation>“%1”不是大小。例如：8 GiB。</translation>
    </message>
    <message>
        <source>Open a PyTorch memory snapshot to replay its allocator requests with other settings.</source>
        <translation>打开一个 PyTorch 内存快照，即可用其他设置重放其分配器的请求。</translation>
    </message>
    <message>
        <source>Replaying requests…</source>
        <translation>正在重放请求…</translation>
    </message>
    <message>
        <source>Settings in the format of PYTORCH_CUDA_ALLOC_CONF; separate several by semicolons.</source>
        <translation>设置写法同 PYTORCH_CUDA_ALLOC_CONF；多组以分号隔开。</translation>
    </message>
    <message>
        <source>At the peak of reserved memory: bytes in use, free segments, free fragments next to used blocks, and memory of other streams.</source>
        <translation>在已预留内存的峰值处：使用中的字节、空闲段、与使用中块相邻的空闲碎片，以及其他流的内存。</translation>
    </message>
    <message>
        <source>Settings, e.g. max_split_size_mb:128; expandable_segments:True</source>
        <translation>设置，例如 max_split_size_mb:128; expandable_segments:True</translation>
    </message>
    <message>
        <source>Settings of the allocator</source>
        <translation>分配器的设置</translation>
    </message>
    <message>
        <source>Memory, e.g. 8 GiB</source>
        <translation>显存，例如 8 GiB</translation>
    </message>
    <message>
        <source>Memory of the device</source>
        <translation>设备的内存</translation>
    </message>
    <message>
        <source>Device memory; leave empty for no limit</source>
        <translation>设备内存；留空则不限</translation>
    </message>
    <message>
        <source>&amp;Replay</source>
        <translation>重放(&amp;R)</translation>
    </message>
    <message>
        <source>Reserved memory by setting</source>
        <translation>各设置下的已预留内存</translation>
    </message>
</context>
<context>
    <name>arenascope::app::Documents</name>
    <message>
        <source>%1 was closed unsaved: its recording is under File ▸ Recover a Recording.</source>
        <translation>%1 已关闭但未保存：其记录在 文件 ▸ 恢复录制 中。</translation>
    </message>
</context>
<context>
    <name>Planner</name>
    <message>
        <source>none</source>
        <translation>不复用</translation>
    </message>
    <message>
        <source>given</source>
        <translation>已给定</translation>
    </message>
    <message>
        <source>max-block</source>
        <translation>最大块</translation>
    </message>
    <message>
        <source>binary-block</source>
        <translation>二进制块</translation>
    </message>
    <message>
        <source>two-level</source>
        <translation>两级</translation>
    </message>
    <message>
        <source>best-fit-online</source>
        <translation>在线最佳适应</translation>
    </message>
    <message>
        <source>greedy-by-size</source>
        <translation>按大小贪心</translation>
    </message>
    <message>
        <source>first-fit-by-time</source>
        <translation>按时间首次适应</translation>
    </message>
    <message>
        <source>first-fit-by-size</source>
        <translation>按大小首次适应</translation>
    </message>
    <message>
        <source>first-fit-by-area</source>
        <translation>按面积首次适应</translation>
    </message>
    <message>
        <source>first-fit-by-length</source>
        <translation>按长度首次适应</translation>
    </message>
    <message>
        <source>best-fit-by-time</source>
        <translation>按时间最佳适应</translation>
    </message>
    <message>
        <source>best-fit-by-area</source>
        <translation>按面积最佳适应</translation>
    </message>
    <message>
        <source>global-decreasing-size-best-fit</source>
        <translation>全局按大小递减最佳适应</translation>
    </message>
    <message>
        <source>hybrid</source>
        <translation>混合</translation>
    </message>
    <message>
        <source>search</source>
        <translation>搜索</translation>
    </message>
</context>
<context>
    <name>Order</name>
    <message>
        <source>depth-first</source>
        <translation>深度优先</translation>
    </message>
    <message>
        <source>breadth-first</source>
        <translation>广度优先</translation>
    </message>
    <message>
        <source>reverse-depth-first</source>
        <translation>反向深度优先</translation>
    </message>
    <message>
        <source>ge</source>
        <translation>GE</translation>
    </message>
    <message>
        <source>least-peak-first</source>
        <translation>最小峰值优先</translation>
    </message>
    <message>
        <source>least-peak-late</source>
        <translation>最小峰值并推迟</translation>
    </message>
    <message>
        <source>search</source>
        <translation>搜索</translation>
    </message>
</context>
<context>
    <name>Queries</name>
    <message>
        <source>nodes by median time</source>
        <translation>按中位时间排列的节点</translation>
    </message>
    <message>
        <source>work by op, summed over the nodes</source>
        <translation>各算子的工作时间，按节点求和</translation>
    </message>
    <message>
        <source>nodes by barrier wait</source>
        <translation>按屏障等待排列的节点</translation>
    </message>
    <message>
        <source>named spans, work and kernels by total time</source>
        <translation>按总时间排列的命名区间、工作和内核</translation>
    </message>
    <message>
        <source>allocations that are live at the peak, by owner</source>
        <translation>峰值时存活的分配，按所有者</translation>
    </message>
    <message>
        <source>the largest allocations</source>
        <translation>最大的分配</translation>
    </message>
    <message>
        <source>arena and lower bound of each plan</source>
        <translation>每个规划的内存区 (arena) 与下界</translation>
    </message>
</context>
<context>
    <name>arenascope::app::QueryJob</name>
    <message>
        <source>Running a query…</source>
        <translation>正在运行查询…</translation>
    </message>
</context>
<context>
    <name>arenascope::app::QueryPanel</name>
    <message>
        <source>Bytes</source>
        <translation>字节</translation>
    </message>
    <message>
        <source>Duration</source>
        <translation>时长</translation>
    </message>
    <message>
        <source>Time since the start of the recording</source>
        <translation>自记录开始的时间</translation>
    </message>
    <message>
        <source>The result has no rows.</source>
        <translation>结果没有行。</translation>
    </message>
    <message>
        <source>The result of the query is shown here. A row with the number or name of a node, tensor, span or allocation selects it.</source>
        <translation>查询的结果显示在这里。含有节点、张量、区间或分配的编号或名称的行会选择它。</translation>
    </message>
    <message>
        <source>Running…</source>
        <translation>正在运行…</translation>
    </message>
    <message>
        <source>Error: %1</source>
        <translation>错误：%1</translation>
    </message>
    <message>
        <source>Stopped.</source>
        <translation>已停止。</translation>
    </message>
    <message>
        <source>Open a model, recording or trace to query its tables.</source>
        <translation>打开模型、记录或跟踪以查询它的表。</translation>
    </message>
    <message>
        <source>Ctrl+Return runs the query; Ctrl+Space completes names.</source>
        <translation>Ctrl+Return 运行查询；Ctrl+Space 补全名称。</translation>
    </message>
    <message>
        <source>The first %1 rows, in %2</source>
        <translation>前 %1 行，用时 %2</translation>
    </message>
    <message numerus="yes">
        <source>%n row(s) in %1</source>
        <translation>
            <numerusform>%n 行，用时 %1</numerusform>
        </translation>
    </message>
    <message>
        <source>No queries yet</source>
        <translation>尚未运行查询</translation>
    </message>
    <message>
        <source>&amp;Save Query…</source>
        <translation>保存查询(&amp;S)…</translation>
    </message>
    <message>
        <source>Save Query</source>
        <translation>保存查询</translation>
    </message>
    <message>
        <source>Name (letters, digits, - and _):</source>
        <translation>名称（字母、数字、- 和 _）：</translation>
    </message>
    <message>
        <source>Saved “%1” to the library.</source>
        <translation>已将“%1”保存到查询库。</translation>
    </message>
    <message>
        <source>SQL query</source>
        <translation>SQL 查询</translation>
    </message>
    <message>
        <source>&amp;Run Query</source>
        <translation>运行查询(&amp;R)</translation>
    </message>
    <message>
        <source>Run the query (Ctrl+Return)</source>
        <translation>运行查询 (Ctrl+Return)</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Stop the query</source>
        <translation>停止查询</translation>
    </message>
    <message>
        <source>Library</source>
        <translation>查询库</translation>
    </message>
    <message>
        <source>Named queries: built-in and your own</source>
        <translation>命名的查询：内置的和您自己的</translation>
    </message>
    <message>
        <source>History</source>
        <translation>历史</translation>
    </message>
    <message>
        <source>Queries that were run (Ctrl+Up, Ctrl+Down)</source>
        <translation>运行过的查询 (Ctrl+Up, Ctrl+Down)</translation>
    </message>
    <message>
        <source>No chart</source>
        <translation>无图表</translation>
    </message>
    <message>
        <source>Bars</source>
        <translation>条形图</translation>
    </message>
    <message>
        <source>Line</source>
        <translation>折线图</translation>
    </message>
    <message>
        <source>Chart type</source>
        <translation>图表类型</translation>
    </message>
    <message>
        <source>Value column</source>
        <translation>数值列</translation>
    </message>
    <message>
        <source>Label or x-axis column</source>
        <translation>标签列或 x 轴列</translation>
    </message>
    <message>
        <source>Chart of the result</source>
        <translation>结果的图表</translation>
    </message>
    <message>
        <source>Query status</source>
        <translation>查询状态</translation>
    </message>
</context>
<context>
    <name>arenascope::app::QueryChart</name>
    <message>
        <source>A chart needs a result with a numeric column</source>
        <translation>图表需要含有数值列的结果</translation>
    </message>
    <message numerus="yes">
        <source>%n more row(s)</source>
        <translation>
            <numerusform>还有 %n 行</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>arenascope::views::LensText</name>
    <message>
        <source>Storages and references</source>
        <translation>存储与引用</translation>
    </message>
    <message>
        <source>references of each block</source>
        <translation>各内存块的引用</translation>
    </message>
    <message>
        <source>%1 shares %4 bytes of %2, starting at byte %3, and holds a reference to the block.</source>
        <translation>%1 从第 %3 字节起共用 %2 的 %4 字节，并持有内存块的一个引用。</translation>
    </message>
    <message>
        <source>%1 borrows %2 bytes from the caller; block %3 does not free them.</source>
        <translation>%1 借用调用者的 %2 字节；内存块 %3 不释放它们。</translation>
    </message>
    <message>
        <source>%1 has no bytes, so it has no block.</source>
        <translation>%1 没有字节，因此没有内存块。</translation>
    </message>
    <message>
        <source>%1 is dropped. Its block has other references.</source>
        <translation>%1 被丢弃。它的内存块还有其他引用。</translation>
    </message>
    <message>
        <source>%1 is dropped. It was the last reference, so its block is freed.</source>
        <translation>%1 被丢弃。这是最后一个引用，因此释放其内存块。</translation>
    </message>
    <message>
        <source>not visited</source>
        <translation>尚未访问</translation>
    </message>
    <message>
        <source>Tensor and view</source>
        <translation>张量与视图</translation>
    </message>
    <message>
        <source>Sizes and strides</source>
        <translation>尺寸与步长</translation>
    </message>
    <message>
        <source>Quantised block</source>
        <translation>量化块</translation>
    </message>
    <message>
        <source>Object pool</source>
        <translation>对象池</translation>
    </message>
    <message>
        <source>Collecting a graph</source>
        <translation>收集计算图</translation>
    </message>
    <message>
        <source>Use counts</source>
        <translation>使用计数</translation>
    </message>
    <message>
        <source>Alignment</source>
        <translation>对齐</translation>
    </message>
    <message>
        <source>Bump and reset</source>
        <translation>顺序分配与重置</translation>
    </message>
    <message>
        <source>Buckets of an allocator</source>
        <translation>分配器的桶</translation>
    </message>
    <message>
        <source>Deferred frees</source>
        <translation>延迟释放</translation>
    </message>
    <message>
        <source>Tasks of a node</source>
        <translation>节点的任务</translation>
    </message>
    <message>
        <source>Barrier</source>
        <translation>屏障</translation>
    </message>
    <message>
        <source>shape</source>
        <translation>形状</translation>
    </message>
    <message>
        <source>type</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>view</source>
        <translation>视图</translation>
    </message>
    <message>
        <source>strides</source>
        <translation>步长</translation>
    </message>
    <message>
        <source>offset</source>
        <translation>偏移</translation>
    </message>
    <message>
        <source>storage</source>
        <translation>存储</translation>
    </message>
    <message>
        <source>bytes per element</source>
        <translation>每个元素的字节数</translation>
    </message>
    <message>
        <source>values</source>
        <translation>值</translation>
    </message>
    <message>
        <source>pool</source>
        <translation>池</translation>
    </message>
    <message>
        <source>tensors</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>no alloc</source>
        <translation>no alloc</translation>
    </message>
    <message>
        <source>work buffer</source>
        <translation>工作缓冲区</translation>
    </message>
    <message>
        <source>graph</source>
        <translation>计算图</translation>
    </message>
    <message>
        <source>sizes</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>alignment</source>
        <translation>对齐</translation>
    </message>
    <message>
        <source>capacity</source>
        <translation>容量</translation>
    </message>
    <message>
        <source>requests</source>
        <translation>请求</translation>
    </message>
    <message>
        <source>operations</source>
        <translation>操作</translation>
    </message>
    <message>
        <source>rows</source>
        <translation>行</translation>
    </message>
    <message>
        <source>threads</source>
        <translation>线程</translation>
    </message>
    <message>
        <source>unit</source>
        <translation>单位</translation>
    </message>
    <message>
        <source>work bytes</source>
        <translation>工作字节</translation>
    </message>
    <message>
        <source>order of arrival</source>
        <translation>到达顺序</translation>
    </message>
    <message>
        <source>block</source>
        <translation>块</translation>
    </message>
    <message>
        <source>bits of the field</source>
        <translation>字段的各位</translation>
    </message>
    <message>
        <source>nodes</source>
        <translation>节点</translation>
    </message>
    <message>
        <source>leaf tensors</source>
        <translation>叶张量</translation>
    </message>
    <message>
        <source>hash set</source>
        <translation>哈希集合</translation>
    </message>
    <message>
        <source>use counts</source>
        <translation>使用计数</translation>
    </message>
    <message>
        <source>arena</source>
        <translation>内存区</translation>
    </message>
    <message>
        <source>segment</source>
        <translation>段</translation>
    </message>
    <message>
        <source>queue: compute</source>
        <translation>队列：计算</translation>
    </message>
    <message>
        <source>queue: copies</source>
        <translation>队列：复制</translation>
    </message>
    <message>
        <source>generation of each thread</source>
        <translation>各线程的代数</translation>
    </message>
    <message>
        <source>Element %1 is at byte %2.</source>
        <translation>元素 %1 在第 %2 字节。</translation>
    </message>
    <message>
        <source>%2 bits at byte %1 store scales and minima: %3.</source>
        <translation>第 %1 字节处的 %2 位是比例与最小值：%3。</translation>
    </message>
    <message>
        <source>Element %1 (%4) is stored as the integer %2 and restored as %3.</source>
        <translation>元素 %1（%4）存为整数 %2，还原为 %3。</translation>
    </message>
    <message>
        <source>%2 (%1) is appended after its header, at byte %3: %4 bytes.</source>
        <translation>%2（%1）追加在其对象头之后，第 %3 字节处：%4 字节。</translation>
    </message>
    <message>
        <source>An object of type %1 is appended after its header, at byte %3: %4 bytes.</source>
        <translation>类型为 %1 的对象追加在其对象头之后，第 %3 字节处：%4 字节。</translation>
    </message>
    <message>
        <source>Does not fit: %1</source>
        <translation>放不下：%1</translation>
    </message>
    <message>
        <source>%1 is appended, and slot %2 of the hash set marks it as visited.</source>
        <translation>%1 已追加，哈希集合的第 %2 个槽位标记它已访问。</translation>
    </message>
    <message>
        <source>%1 is computed. No later node reads %2, so it is freed.</source>
        <translation>%1 已计算。以后没有节点读取 %2，因此将其释放。</translation>
    </message>
    <message>
        <source>%1 is computed. Nothing is freed.</source>
        <translation>%1 已计算。没有释放。</translation>
    </message>
    <message>
        <source>%1 is placed at byte %2, after %3 bytes of padding.</source>
        <translation>%1 放在第 %2 字节，之前有 %3 字节的填充。</translation>
    </message>
    <message>
        <source>%1 bytes are allocated at byte %2.</source>
        <translation>在第 %2 字节处分配 %1 字节。</translation>
    </message>
    <message>
        <source>Reset: the next slice begins at byte 0 again.</source>
        <translation>重置：下一个切片又从第 0 字节开始。</translation>
    </message>
    <message>
        <source>%1 is allocated with %2 bytes: a new block, %3.</source>
        <translation>为 %1 分配 %2 字节：新的内存块，%3。</translation>
    </message>
    <message>
        <source>%1 is allocated with %2 bytes: a free block is reused, %3.</source>
        <translation>为 %1 分配 %2 字节：复用空闲的内存块，%3。</translation>
    </message>
    <message>
        <source>%1 is freed.</source>
        <translation>%1 已释放。</translation>
    </message>
    <message>
        <source>%1 is freed, but work in the queue %2 still uses it: its bytes are deferred.</source>
        <translation>%1 已释放，但队列 %2 中的工作还在使用它：它的字节延迟释放。</translation>
    </message>
    <message>
        <source>Work that uses %1 is added to queue %2.</source>
        <translation>使用 %1 的工作进入队列 %2。</translation>
    </message>
    <message>
        <source>The queue %1 completes its oldest work.</source>
        <translation>队列 %1 完成最早的一项工作。</translation>
    </message>
    <message>
        <source>Thread %1 arrives: %2 of %3.</source>
        <translation>线程 %1 到达：%3 个中的第 %2 个。</translation>
    </message>
    <message>
        <source>All threads have arrived and continue. Generation %1 is complete.</source>
        <translation>所有线程都已到达并继续。第 %1 代完成。</translation>
    </message>
    <message>
        <source>Thread %1 of %2 computes rows [%3, %4).</source>
        <translation>%2 个线程中的线程 %1 计算第 [%3, %4) 行。</translation>
    </message>
    <message>
        <source>bucket of %1</source>
        <translation>%1 的桶</translation>
    </message>
    <message>
        <source>free</source>
        <translation>空闲</translation>
    </message>
    <message>
        <source>data</source>
        <translation>数据</translation>
    </message>
    <message>
        <source>header</source>
        <translation>对象头</translation>
    </message>
    <message>
        <source>description</source>
        <translation>描述</translation>
    </message>
    <message>
        <source>entries</source>
        <translation>条目</translation>
    </message>
    <message>
        <source>padding</source>
        <translation>填充</translation>
    </message>
    <message>
        <source>deferred</source>
        <translation>延迟</translation>
    </message>
    <message>
        <source>scale or minimum</source>
        <translation>比例或最小值</translation>
    </message>
    <message>
        <source>integer</source>
        <translation>整数</translation>
    </message>
    <message>
        <source>Size of a pool</source>
        <translation>池的大小</translation>
    </message>
    <message>
        <source>Scratch buffer</source>
        <translation>scratch 缓冲区</translation>
    </message>
    <message>
        <source>Fields of a description</source>
        <translation>描述的各个字段</translation>
    </message>
    <message>
        <source>Padded device buffer</source>
        <translation>填充后的设备缓冲区</translation>
    </message>
    <message>
        <source>Device image</source>
        <translation>设备图像</translation>
    </message>
    <message>
        <source>Rounding up with a mask</source>
        <translation>用掩码向上取整</translation>
    </message>
    <message>
        <source>Checked number of elements</source>
        <translation>检查过的元素个数</translation>
    </message>
    <message>
        <source>Owners in MNN's runtime</source>
        <translation>MNN 运行时中的所有权</translation>
    </message>
    <message>
        <source>Free lists of a buffer pool</source>
        <translation>缓冲池的空闲列表</translation>
    </message>
    <message>
        <source>Image pool</source>
        <translation>图像池</translation>
    </message>
    <message>
        <source>Resizing a network</source>
        <translation>网络 resize</translation>
    </message>
    <message>
        <source>Block sizes and resize</source>
        <translation>块的大小与缩小</translation>
    </message>
    <message>
        <source>Order and lifetimes</source>
        <translation>顺序与生命周期</translation>
    </message>
    <message>
        <source>Planners on networks</source>
        <translation>各网络上的规划器</translation>
    </message>
    <message>
        <source>Moved nodes of a large model</source>
        <translation>大模型中移动节点</translation>
    </message>
    <message>
        <source>reserve</source>
        <translation>预留余量</translation>
    </message>
    <message>
        <source>scratch buffer</source>
        <translation>scratch 缓冲区</translation>
    </message>
    <message>
        <source>flags</source>
        <translation>标志</translation>
    </message>
    <message>
        <source>x</source>
        <translation>x</translation>
    </message>
    <message>
        <source>n</source>
        <translation>n</translation>
    </message>
    <message>
        <source>planner</source>
        <translation>规划器</translation>
    </message>
    <message>
        <source>order</source>
        <translation>执行顺序</translation>
    </message>
    <message>
        <source>networks</source>
        <translation>网络</translation>
    </message>
    <message>
        <source>network</source>
        <translation>网络</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>词元</translation>
    </message>
    <message>
        <source>devices</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>training</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>estimated size</source>
        <translation>估计的大小</translation>
    </message>
    <message>
        <source>description of the tensor</source>
        <translation>张量的描述</translation>
    </message>
    <message>
        <source>bits of flags</source>
        <translation>标志的各位</translation>
    </message>
    <message>
        <source>buffer</source>
        <translation>缓冲区</translation>
    </message>
    <message>
        <source>number of elements, 64 bits</source>
        <translation>元素个数，64 位</translation>
    </message>
    <message>
        <source>free list of the dynamic pool, by size</source>
        <translation>动态池的空闲列表，按大小</translation>
    </message>
    <message>
        <source>buffers of the dynamic pool</source>
        <translation>动态池的缓冲区</translation>
    </message>
    <message>
        <source>free list of the static pool, by size</source>
        <translation>静态池的空闲列表，按大小</translation>
    </message>
    <message>
        <source>buffers of the static pool</source>
        <translation>静态池的缓冲区</translation>
    </message>
    <message>
        <source>execution order</source>
        <translation>执行顺序</translation>
    </message>
    <message>
        <source>live bytes at this step</source>
        <translation>这一步的存活字节</translation>
    </message>
    <message>
        <source>block %1</source>
        <translation>块 %1</translation>
    </message>
    <message>
        <source>Block sizes: %1.</source>
        <translation>块的大小：%1。</translation>
    </message>
    <message>
        <source>%1: no block is free, so block %2 is opened with %3 bytes.</source>
        <translation>%1：没有空闲的块，于是开块 %2，%3 字节。</translation>
    </message>
    <message>
        <source>%1 reuses block %2 of %3 bytes, which is free again.</source>
        <translation>%1 复用块 %2（%3 字节），它又空闲了。</translation>
    </message>
    <message>
        <source>Block %1 shrinks from %2 to %3 bytes, the size of %4.</source>
        <translation>块 %1 从 %2 缩小到 %3 字节，即 %4 的大小。</translation>
    </message>
    <message>
        <source>The blocks are placed at multiples of %2: the arena has %1 bytes.</source>
        <translation>各块放在 %2 的倍数处：内存区有 %1 字节。</translation>
    </message>
    <message>
        <source>Step %1 computes %2. %3 bytes are alive.</source>
        <translation>第 %1 步计算 %2。存活 %3 字节。</translation>
    </message>
    <message>
        <source>%1: the lower bound is %2 bytes; two-level needs %3, %4 times as much.</source>
        <translation>%1：下界是 %2 字节；two-level 需要 %3，是其 %4 倍。</translation>
    </message>
    <message>
        <source>Order %1: %2 bytes are alive at the peak.</source>
        <translation>顺序 %1：峰值存活 %2 字节。</translation>
    </message>
    <message>
        <source>A scratch buffer of %1 bytes is set: data of tensors goes there.</source>
        <translation>设了 %1 字节的 scratch 缓冲区：张量的数据到那里去。</translation>
    </message>
    <message>
        <source>The scratch buffer is put aside: data goes into the pool.</source>
        <translation>scratch 缓冲区放到一边：数据进池。</translation>
    </message>
    <message>
        <source>The scratch buffer is set again, and continues where it was.</source>
        <translation>又设回 scratch 缓冲区，从原处继续。</translation>
    </message>
    <message>
        <source>No scratch buffer is set any longer: data goes into the pool.</source>
        <translation>不再设 scratch 缓冲区：数据进池。</translation>
    </message>
    <message>
        <source>%1: its description goes into the pool, its %2 bytes of data to byte %3 of the scratch buffer.</source>
        <translation>%1：描述进池，%2 字节数据放在 scratch 缓冲区的第 %3 字节。</translation>
    </message>
    <message>
        <source>%1 adds %2 bytes: %3 bytes so far.</source>
        <translation>%1 增加 %2 字节：到此 %3 字节。</translation>
    </message>
    <message>
        <source>%1: %3 bytes at byte %2. Content: %4.</source>
        <translation>%1：第 %2 字节起 %3 字节。内容：%4。</translation>
    </message>
    <message>
        <source>%1 = %2</source>
        <translation>%1 = %2</translation>
    </message>
    <message>
        <source>%1: %2 elements.</source>
        <translation>%1：%2 个元素。</translation>
    </message>
    <message>
        <source>Refused: %1</source>
        <translation>拒绝：%1</translation>
    </message>
    <message>
        <source>%1 is created. It owns %2.</source>
        <translation>创建 %1。它拥有 %2。</translation>
    </message>
    <message>
        <source>%1 is dropped by the session, but stays: other references to it: %2.</source>
        <translation>会话放弃 %1，但它仍在：还有 %2 个引用。</translation>
    </message>
    <message>
        <source>%1 was built before: the runtime returns the same program.</source>
        <translation>%1 已经编译过：运行时交出同一个程序。</translation>
    </message>
    <message>
        <source>%1 is destroyed, and with it %2.</source>
        <translation>%1 被销毁，%2 随之销毁。</translation>
    </message>
    <message>
        <source>%1 (%3) acquires %2 bytes: a new buffer is created.</source>
        <translation>%1（%3）取得 %2 字节：创建新的缓冲区。</translation>
    </message>
    <message>
        <source>%1 (%3) acquires %2 bytes: the smallest free buffer that is large enough has %4 bytes.</source>
        <translation>%1（%3）取得 %2 字节：够大的空闲缓冲区里最小的有 %4 字节。</translation>
    </message>
    <message>
        <source>%1 is destroyed. Its destructor puts the buffer of %2 bytes into the free list.</source>
        <translation>%1 被销毁。它的析构函数把 %2 字节的缓冲区放进空闲列表。</translation>
    </message>
    <message>
        <source>The free lists are released: %1 bytes return to the device.</source>
        <translation>释放空闲列表：%1 字节还给设备。</translation>
    </message>
    <message>
        <source>%1 acquires an image of %2 × %3 texels: a new one is created.</source>
        <translation>%1 取得 %2 × %3 个纹素的图像：创建新的。</translation>
    </message>
    <message>
        <source>%1 acquires %2 × %3 texels: the smallest free image that is wide and high enough has %4 × %5.</source>
        <translation>%1 取得 %2 × %3 个纹素：宽高都够的空闲图像里最小的是 %4 × %5。</translation>
    </message>
    <message>
        <source>%1 is destroyed. Its image is free.</source>
        <translation>%1 被销毁。它的图像空闲了。</translation>
    </message>
    <message>
        <source>onResizeBegin: %1 nodes will acquire their buffers. Nothing is computed.</source>
        <translation>onResizeBegin：%1 个节点将取得缓冲区。什么也不计算。</translation>
    </message>
    <message>
        <source>onResizeEnd: the dynamic pool has %1 bytes. Runs use these buffers.</source>
        <translation>onResizeEnd：动态池有 %1 字节。运行时使用这些缓冲区。</translation>
    </message>
    <message>
        <source>%1. Together: %2 bytes.</source>
        <translation>%1。一共 %2 字节。</translation>
    </message>
    <message>
        <source>Channels %1 to %2 are stored in texels %3 to %4 of each row.</source>
        <translation>通道 %1 至 %2 存在每行的第 %3 至 %4 个纹素。</translation>
    </message>
    <message>
        <source>lower bound</source>
        <translation>下界</translation>
    </message>
    <message>
        <source>up to two-level</source>
        <translation>到 two-level</translation>
    </message>
    <message>
        <source>up to max-block</source>
        <translation>到 max-block</translation>
    </message>
    <message>
        <source>up to binary-block</source>
        <translation>到 binary-block</translation>
    </message>
    <message>
        <source>without reuse</source>
        <translation>不复用</translation>
    </message>
    <message>
        <source>copies of weights</source>
        <translation>权重的副本</translation>
    </message>
    <message>
        <source>gradients</source>
        <translation>梯度</translation>
    </message>
    <message>
        <source>outputs</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>activations</source>
        <translation>激活</translation>
    </message>
    <message>
        <source>bit is one</source>
        <translation>位为一</translation>
    </message>
    <message>
        <source>bit is zero</source>
        <translation>位为零</translation>
    </message>
    <message>
        <source>%1: expected an integer from %2 to %3, found “%4”.</source>
        <translation>%1：应为 %2 到 %3 的整数，实为“%4”。</translation>
    </message>
    <message>
        <source>%1: expected %2 to %3 entries, found %4.</source>
        <translation>%1：应有 %2 到 %3 项，实有 %4 项。</translation>
    </message>
    <message>
        <source>%1: expected %2, found “%3”.</source>
        <translation>%1：应为 %2，实为“%3”。</translation>
    </message>
</context>
<context>
    <name>arenascope::views::LensCanvas</name>
    <message>
        <source>Byte lens</source>
        <translation>字节透镜</translation>
    </message>
    <message>
        <source>%1 %2
[%3, %4) of %5</source>
        <translation>%1 %2
%5 的 [%3, %4)</translation>
    </message>
</context>
<context>
    <name>arenascope::views::ByteLensView</name>
    <message>
        <source>Before the first operation. Step forward with ▶ or the arrow keys.</source>
        <translation>第一个操作之前。用 ▶ 或方向键前进。</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>%1 cannot be shown element by element: it has a block type or more than %2 elements.</source>
        <translation>%1 不能逐个元素显示：它是块类型，或超过 %2 个元素。</translation>
    </message>
    <message>
        <source>Experiment</source>
        <translation>实验</translation>
    </message>
    <message>
        <source>Selected Tensor</source>
        <translation>选中的张量</translation>
    </message>
    <message>
        <source>Show the sizes and strides of the selected tensor.</source>
        <translation>显示所选张量的尺寸与步长。</translation>
    </message>
    <message>
        <source>Previous operation</source>
        <translation>上一个操作</translation>
    </message>
    <message>
        <source>Next operation</source>
        <translation>下一个操作</translation>
    </message>
    <message>
        <source>Operation</source>
        <translation>操作</translation>
    </message>
    <message>
        <source>Play all operations</source>
        <translation>播放全部操作</translation>
    </message>
    <message>
        <source>Pace of the motion from one operation to the next</source>
        <translation>从一个操作到下一个操作的动画速度</translation>
    </message>
    <message>
        <source>Pace</source>
        <translation>速度</translation>
    </message>
    <message>
        <source>slow</source>
        <translation>慢</translation>
    </message>
    <message>
        <source>normal</source>
        <translation>正常</translation>
    </message>
    <message>
        <source>fast</source>
        <translation>快</translation>
    </message>
    <message>
        <source>without motion</source>
        <translation>无动画</translation>
    </message>
</context>
<context>
    <name>arenascope::views::DurationsText</name>
    <message numerus="yes">
        <source>%n run(s)</source>
        <translation>
            <numerusform>%n 次运行</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n span(s)</source>
        <translation>
            <numerusform>%n 个区间</numerusform>
        </translation>
    </message>
    <message>
        <source>, incomplete</source>
        <translation>，不完整</translation>
    </message>
    <message>
        <source>, cold</source>
        <translation>，冷启动</translation>
    </message>
    <message>
        <source>min %1 · p50 %2 · p90 %3 · p99 %4 · max %5</source>
        <translation>最小 %1 · p50 %2 · p90 %3 · p99 %4 · 最大 %5</translation>
    </message>
</context>
<context>
    <name>arenascope::views::DurationsView</name>
    <message>
        <source>Histogram of durations</source>
        <translation>时长直方图</translation>
    </message>
    <message>
        <source>Select a node or a span to see the distribution of its durations.</source>
        <translation>选择一个节点或区间以查看其时长分布。</translation>
    </message>
    <message>
        <source>No time was observed for %1.</source>
        <translation>没有 %1 的实测时间。</translation>
    </message>
</context>
<context>
    <name>arenascope::views::RooflineText</name>
    <message>
        <source>no operations</source>
        <translation>无运算</translation>
    </message>
    <message>
        <source>operations unknown</source>
        <translation>运算量未知</translation>
    </message>
    <message>
        <source>sizes unknown</source>
        <translation>大小未知</translation>
    </message>
    <message>
        <source>no time observed</source>
        <translation>无实测时间</translation>
    </message>
    <message>
        <source>%1 of %2 nodes have no point: %3</source>
        <translation>%2 个节点中有 %1 个没有数据点：%3</translation>
    </message>
    <message>
        <source>times observed in incomplete runs</source>
        <translation>时间为不完整运行的实测值</translation>
    </message>
    <message>
        <source>times observed in a cold run</source>
        <translation>时间为冷启动运行的实测值</translation>
    </message>
    <message numerus="yes">
        <source>times observed, median of %n run(s)</source>
        <translation>
            <numerusform>时间为实测值，%n 次运行的中位数</numerusform>
        </translation>
    </message>
    <message>
        <source>operations and bytes computed from shapes</source>
        <translation>运算量和字节数由形状计算</translation>
    </message>
    <message numerus="yes">
        <source>peaks %1 GFLOP/s and %2 GB/s, float32, %n thread(s)</source>
        <translation>
            <numerusform>峰值 %1 GFLOP/s 和 %2 GB/s，float32，%n 个线程</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n node(s) ran on a device, which these roofs do not describe</source>
        <translation>
            <numerusform>%n 个节点在设备上运行，这些上限不适用于该设备</numerusform>
        </translation>
    </message>
    <message>
        <source>recorded on another processor: %1</source>
        <translation>在另一处理器上记录：%1</translation>
    </message>
    <message>
        <source>%1 GFLOP/s at %2 FLOP/B</source>
        <translation>%1 GFLOP/s，强度 %2 FLOP/B</translation>
    </message>
    <message numerus="yes">
        <source>median %1 of %n run(s)</source>
        <translation>
            <numerusform>%n 次运行的中位数 %1</numerusform>
        </translation>
    </message>
    <message>
        <source>time measured by a device</source>
        <translation>时间由设备测量</translation>
    </message>
    <message>
        <source>%1 of the memory roof, %2 GFLOP/s</source>
        <translation>达到内存带宽上限 %2 GFLOP/s 的 %1</translation>
    </message>
    <message>
        <source>%1 of the arithmetic roof, %2 GFLOP/s</source>
        <translation>达到算力上限 %2 GFLOP/s 的 %1</translation>
    </message>
    <message>
        <source>%1 GFLOP/s</source>
        <translation>%1 GFLOP/s</translation>
    </message>
    <message>
        <source>%1 GB/s</source>
        <translation>%1 GB/s</translation>
    </message>
    <message>
        <source>FLOP/B</source>
        <translation>FLOP/B</translation>
    </message>
    <message>
        <source>GFLOP/s</source>
        <translation>GFLOP/s</translation>
    </message>
</context>
<context>
    <name>arenascope::views::RooflineView</name>
    <message>
        <source>Roofline</source>
        <translation>Roofline 模型</translation>
    </message>
    <message>
        <source>No node has known operations, sizes and an observed time. Run the model, or open a recording of a run.</source>
        <translation>没有同时具有运算量、大小和实测时间的节点。请运行模型，或打开一次运行的记录。</translation>
    </message>
    <message>
        <source>Measures multiply-adds and memory reads of this machine for two seconds. Close other programs before: their load lowers the result.</source>
        <translation>用两秒测量本机的乘加和内存读取。请先关闭其他程序，它们的负载会降低结果。</translation>
    </message>
    <message>
        <source>Measure Again</source>
        <translation>重新测量</translation>
    </message>
    <message>
        <source>Measure Peaks</source>
        <translation>测量峰值</translation>
    </message>
    <message>
        <source>measuring…</source>
        <translation>正在测量…</translation>
    </message>
    <message>
        <source>peaks not measured</source>
        <translation>尚未测量峰值</translation>
    </message>
</context>
<context>
    <name>arenascope::views::TimelineColourNames</name>
    <message numerus="yes">
        <source>%n name(s)</source>
        <translation>
            <numerusform>%n 个名称</numerusform>
        </translation>
    </message>
    <message>
        <source>Activity</source>
        <translation>活动</translation>
    </message>
    <message>
        <source>Op or span name</source>
        <translation>算子或区间名称</translation>
    </message>
    <message>
        <source>Kernel</source>
        <translation>内核</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>层</translation>
    </message>
    <message>
        <source>Thread</source>
        <translation>线程</translation>
    </message>
    <message>
        <source>Duration</source>
        <translation>时长</translation>
    </message>
    <message>
        <source>&lt; %1</source>
        <translation>&lt; %1</translation>
    </message>
    <message>
        <source>≥ %1</source>
        <translation>≥ %1</translation>
    </message>
</context>
<context>
    <name>arenascope::app::RooflinePanel</name>
    <message>
        <source>The peaks of this machine can only be measured while nothing runs.</source>
        <translation>只有在没有任何运行时才能测量本机的峰值。</translation>
    </message>
    <message>
        <source>Measuring the peaks of this machine…</source>
        <translation>正在测量本机峰值…</translation>
    </message>
</context>
<context>
    <name>arenascope::views::Graphviz</name>
    <message>
        <source>The output of “dot” is incomplete.</source>
        <translation>“dot” 的输出不完整。</translation>
    </message>
    <message>
        <source>Graphviz is not installed: the program “dot” was not found on the search path (PATH).</source>
        <translation>未安装 Graphviz：在搜索路径 (PATH) 中找不到程序“dot”。</translation>
    </message>
    <message>
        <source>%1 cannot be started: %2</source>
        <translation>无法启动 %1：%2</translation>
    </message>
    <message>
        <source>The output of “dot” is too large.</source>
        <translation>“dot” 的输出过大。</translation>
    </message>
    <message>
        <source>“dot” did not finish within %1 s.</source>
        <translation>“dot” 在 %1 秒内没有完成。</translation>
    </message>
    <message>
        <source>“dot” failed: %1</source>
        <translation>“dot” 失败：%1</translation>
    </message>
</context>
<context>
    <name>arenascope::views::RunTicker</name>
    <message>
        <source>run %1</source>
        <translation>运行 %1</translation>
    </message>
</context>
<context>
    <name>arenascope::views::OrderBoard</name>
    <message>
        <source>Bytes alive at each step of this order</source>
        <translation>这个顺序每一步的存活字节</translation>
    </message>
    <message>
        <source>Step %1: %2 reads %3</source>
        <translation>第 %1 步：%2 读取 %3</translation>
    </message>
    <message>
        <source>a better order</source>
        <translation>更好的顺序</translation>
    </message>
    <message>
        <source>your order</source>
        <translation>你的顺序</translation>
    </message>
    <message>
        <source>%1: peak %2</source>
        <translation>%1：峰值 %2</translation>
    </message>
    <message>
        <source>%1 is missing</source>
        <translation>缺少 %1</translation>
    </message>
</context>
</TS>
