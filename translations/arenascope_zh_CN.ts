<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
<context>
    <name>Actions</name>
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
        <source>&amp;Attach…</source>
        <translation>附加到程序(&amp;A)…</translation>
    </message>
    <message>
        <source>Start a program, and see its memory, kernels and spans while it runs</source>
        <translation>启动一个程序，在它运行时查看其内存、内核和时间段</translation>
    </message>
    <message>
        <source>Open &amp;Built-in Model…</source>
        <translation>打开内置模型(&amp;B)…</translation>
    </message>
    <message>
        <source>Architectures with seeded weights, ready to run</source>
        <translation>带种子权重、可直接运行的网络结构</translation>
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
        <source>The view that has the focus, as PNG, SVG or PDF</source>
        <translation>将当前视图保存为 PNG、SVG 或 PDF</translation>
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
        <source>Show what is selected as large as possible</source>
        <translation>尽可能大地显示所选内容</translation>
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
        <source>Drag panels by them to other places</source>
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
        <source>Again: the next user</source>
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
        <source>Every planner with every order, into the table Planners</source>
        <translation>每个规划器配每种执行顺序，结果列入“规划器”表</translation>
    </message>
    <message>
        <source>Show the Plan in &amp;Use</source>
        <translation>显示正在使用的规划(&amp;U)</translation>
    </message>
    <message>
        <source>Run with the Plan &amp;Shown</source>
        <translation>用当前显示的规划运行(&amp;S)</translation>
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
        <source>On an op, a name pattern, bytes, or NaN</source>
        <translation>可设在算子、名称模式、字节数或 NaN 上</translation>
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
        <source>Compare with the State of &amp;Now</source>
        <translation>与此刻的状态比较(&amp;N)</translation>
    </message>
    <message>
        <source>What runs from now on is compared with what ran so far</source>
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
        <source>Close the file at hand; the others stay open</source>
        <translation>关闭当前文件；其他文件仍然打开</translation>
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
        <translation>恢复录制(&amp;D)</translation>
    </message>
    <message>
        <source>Save As Other For&amp;mat…</source>
        <translation>另存为其他格式(&amp;M)…</translation>
    </message>
    <message>
        <source>What the view that has the focus shows, as numbers</source>
        <translation>以数字保存有焦点的视图所显示的内容</translation>
    </message>
    <message>
        <source>&amp;Undo View</source>
        <translation>撤销视图更改(&amp;U)</translation>
    </message>
    <message>
        <source>Back to the range, layers, colours, plan and panels of before</source>
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
        <source>Table beside the Vie&amp;w</source>
        <translation>视图旁的表格(&amp;W)</translation>
    </message>
    <message>
        <source>The same as numbers, to be sorted, filtered and read aloud</source>
        <translation>以数字显示同样内容，可排序、过滤和朗读</translation>
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
        <source>Run the model again and again; in a recording: go on to the next breakpoint</source>
        <translation>反复运行模型；对于录制：前进到下一个断点</translation>
    </message>
    <message>
        <source>Run Bac&amp;kwards</source>
        <translation>反向运行(&amp;K)</translation>
    </message>
    <message>
        <source>Through what was recorded, back to the breakpoint before</source>
        <translation>在录制内容中回到上一个断点</translation>
    </message>
    <message>
        <source>To the next part that a thread worked or waited, inside the node</source>
        <translation>到节点内部某线程工作或等待的下一部分</translation>
    </message>
    <message>
        <source>Step Back in T&amp;hreads</source>
        <translation>在线程中后退(&amp;H)</translation>
    </message>
    <message>
        <source>Show the Run Before</source>
        <translation>显示前一次运行</translation>
    </message>
    <message>
        <source>Of several runs in a recording; views show one at a time</source>
        <translation>记录中有多次运行时；各视图一次显示一次运行</translation>
    </message>
    <message>
        <source>Show the Run Behind</source>
        <translation>显示后一次运行</translation>
    </message>
    <message>
        <source>Behind the newest one: always the newest</source>
        <translation>最新一次之后：始终显示最新的</translation>
    </message>
    <message>
        <source>Run to Selected &amp;Node</source>
        <translation>运行到所选节点(&amp;N)</translation>
    </message>
    <message>
        <source>On the selected node</source>
        <translation>在所选节点上</translation>
    </message>
    <message>
        <source>Breakpo&amp;ints…</source>
        <translation>断点(&amp;I)…</translation>
    </message>
    <message>
        <source>Walk through what was recorded, step by step, up to a breakpoint</source>
        <translation>逐步播放录制内容，直到断点</translation>
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
        <source>Frames a second, and how long the window was busy at most</source>
        <translation>每秒帧数，以及窗口最长忙碌时间</translation>
    </message>
    <message>
        <source>Layout: Lesso&amp;n</source>
        <translation>布局：课程(&amp;L)</translation>
    </message>
    <message>
        <source>Plan &amp;Anew</source>
        <translation>重新规划(&amp;A)</translation>
    </message>
    <message>
        <source>With what the panel Planners says, shown over the plan at hand</source>
        <translation>按“规划器”面板的设置规划，并叠放在当前方案之上</translation>
    </message>
    <message>
        <source>Plan with A&amp;ll</source>
        <translation>全部规划(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Good Enough</source>
        <translation>足够好(&amp;G)</translation>
    </message>
    <message>
        <source>Stop the search and take the smallest plan so far</source>
        <translation>停止搜索，采用目前最小的方案</translation>
    </message>
    <message>
        <source>&amp;Fit Under…</source>
        <translation>不超过…(&amp;F)</translation>
    </message>
    <message>
        <source>Bytes that a plan is to fit under: a line in the occupancy, to be typed and dragged</source>
        <translation>方案不得超过的字节数：占用视图中的一条线，可输入也可拖动</translation>
    </message>
    <message>
        <source>&amp;No Line to Fit Under</source>
        <translation>去掉上限线(&amp;N)</translation>
    </message>
    <message>
        <source>And no ghost under it</source>
        <translation>其下不再画虚线</translation>
    </message>
    <message>
        <source>&amp;Export the Plan Shown…</source>
        <translation>导出显示的方案…(&amp;E)</translation>
    </message>
    <message>
        <source>Offsets and lifetimes as JSON or CSV, for another runtime</source>
        <translation>以 JSON 或 CSV 写出偏移和生命周期，供其他运行时使用</translation>
    </message>
    <message>
        <source>Look for Sa&amp;vings</source>
        <translation>查找可节省之处(&amp;V)</translation>
    </message>
    <message>
        <source>What could be better, each saving measured by replanning</source>
        <translation>哪里可以更好，每项节省都由重新规划量得</translation>
    </message>
    <message>
        <source>Compare with &amp;File…</source>
        <translation>与文件比较…(&amp;F)</translation>
    </message>
    <message>
        <source>A recording as it is, or a model as it would be planned</source>
        <translation>记录按其原样，模型按其规划结果</translation>
    </message>
    <message>
        <source>Compare with the Next &amp;Tab</source>
        <translation>与下一个标签页比较(&amp;T)</translation>
    </message>
    <message>
        <source>Sizes of &amp;Inputs…</source>
        <translation>输入大小(&amp;I)…</translation>
    </message>
    <message>
        <source>That the file leaves open, such as how many pictures at once</source>
        <translation>文件未规定的大小，例如一次处理多少张图片</translation>
    </message>
    <message>
        <source>Select from &amp;Here</source>
        <translation>从这里开始选择(&amp;H)</translation>
    </message>
    <message>
        <source>The first of two marks, at the playhead, or at the selected span of a trace without steps: the inspector sums up what lies between</source>
        <translation>两个标记中的第一个，位于播放头，没有步骤的跟踪则位于所选片段：检查器汇总两者之间的内容</translation>
    </message>
    <message>
        <source>The second mark, at the playhead or the selected span</source>
        <translation>第二个标记，位于播放头或所选片段</translation>
    </message>
    <message>
        <source>By the column that the arrow keys went to; again: the other way</source>
        <translation>按方向键所在的列排序；再按一次：反向</translation>
    </message>
    <message>
        <source>&amp;Search</source>
        <translation>搜索(&amp;S)</translation>
    </message>
    <message>
        <source>The graph by op and name; with the timeline at hand, or without a graph, the spans of the timeline</source>
        <translation>按算子和名称搜索计算图；当前为时间线或没有计算图时，搜索时间线的片段</translation>
    </message>
    <message>
        <source>P&amp;ause Playing</source>
        <translation>暂停播放(&amp;A)</translation>
    </message>
    <message>
        <source>Stay at this step; Play goes on from here</source>
        <translation>停在这一步；播放会从这里继续</translation>
    </message>
    <message>
        <source>Colour by the Next Colu&amp;mn</source>
        <translation>按下一列着色(&amp;M)</translation>
    </message>
    <message>
        <source>Of the table of nodes; all of them are in the list above the graph</source>
        <translation>节点表的列；计算图上方的列表里有全部</translation>
    </message>
    <message>
        <source>S&amp;hapes on All Edges</source>
        <translation>在所有边上显示形状(&amp;H)</translation>
    </message>
    <message>
        <source>Where there is room; what is selected has them in any case</source>
        <translation>有空位时显示；选中的边总会显示</translation>
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
        <source>&amp;5  One product</source>
        <translation>&amp;5  一次乘法</translation>
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
        <translation>14  重算与换出(&amp;R)</translation>
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
        <source>Next Step of the Lesson</source>
        <translation>课程的下一步</translation>
    </message>
    <message>
        <source>The key of a presenter&apos;s remote</source>
        <translation>演示遥控器上的键</translation>
    </message>
    <message>
        <source>Step of the Lesson Before</source>
        <translation>课程的上一步</translation>
    </message>
    <message>
        <source>Large Type for a Class</source>
        <translation>课堂用大字</translation>
    </message>
    <message>
        <source>Begin the Lesson Anew</source>
        <translation>从头开始本课</translation>
    </message>
    <message>
        <source>Play a Lesson&apos;s File…</source>
        <translation>播放课程文件…</translation>
    </message>
    <message>
        <source>New from This Recording…</source>
        <translation>由此记录新建…</translation>
    </message>
    <message>
        <source>The draft of a lesson about what is open</source>
        <translation>关于当前打开内容的课程草稿</translation>
    </message>
    <message>
        <source>Export the Lesson…</source>
        <translation>导出本课…</translation>
    </message>
    <message>
        <source>One web page or PDF with its pictures, for a handout</source>
        <translation>带图的单个网页或 PDF，作讲义用</translation>
    </message>
    <message>
        <source>Colour the Arena &amp;Map by the Next</source>
        <translation>内存区地图换下一种着色(&amp;M)</translation>
    </message>
    <message>
        <source>Kind, op, layer, age, size, time; the map&apos;s own menu has them by name</source>
        <translation>种类、算子、层、存活时长、大小、时间；地图的右键菜单按名称列出</translation>
    </message>
    <message>
        <source>Pin a Note Here…</source>
        <translation>在此固定注释…</translation>
    </message>
    <message>
        <source>To the playhead, or to where the selected range begins; remembered by the file</source>
        <translation>固定在播放头或所选范围的起点；随文件记住</translation>
    </message>
    <message>
        <source>Open for Plannin&amp;g Only…</source>
        <translation>仅规划打开…(&amp;G)</translation>
    </message>
    <message>
        <source>The graph and its memory plans, without loading weights and without running it</source>
        <translation>只看计算图及其内存规划，不加载权重，也不运行</translation>
    </message>
</context>
<context>
    <name>Docks</name>
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
        <translation>发现</translation>
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
        <translation>顺序移动</translation>
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
</context>
<context>
    <name>Main</name>
    <message>
        <source>See how a tensor graph runs and lives in memory.</source>
        <translation>观察张量计算图如何运行、如何使用内存。</translation>
    </message>
    <message>
        <source>Draw a view without a window: %1.</source>
        <translation>不打开窗口直接绘制视图：%1。</translation>
    </message>
    <message>
        <source>Where the picture goes (.png, .svg or .pdf), or the table that tells the same (.csv).</source>
        <translation>图片（.png、.svg 或 .pdf）或相应表格（.csv）的保存位置。</translation>
    </message>
    <message>
        <source>Size of the picture in logical pixels (1600x900).</source>
        <translation>图片的逻辑像素大小（1600x900）。</translation>
    </message>
    <message>
        <source>Pixels of a PNG for each logical pixel (1).</source>
        <translation>每个逻辑像素对应的 PNG 像素数（1）。</translation>
    </message>
    <message>
        <source>Name of a node to select, or peak: the one that runs there.</source>
        <translation>要选中的节点名称；peak 表示峰值处运行的节点。</translation>
    </message>
    <message>
        <source>Open all layers of the graph.</source>
        <translation>展开图的所有层。</translation>
    </message>
    <message>
        <source>Of the window: default, graph, memory, time or lesson.</source>
        <translation>窗口的布局：default、graph、memory、time 或 lesson。</translation>
    </message>
    <message>
        <source>Show this planner&apos;s plan over the one in use.</source>
        <translation>在正在使用的规划之上显示此规划器的规划。</translation>
    </message>
    <message>
        <source>The order of that plan.</source>
        <translation>该规划的执行顺序。</translation>
    </message>
    <message>
        <source>Time on the x axis instead of steps.</source>
        <translation>横轴为时间而非步骤。</translation>
    </message>
    <message>
        <source>A model (.onnx, .gguf, zoo:NAME) or a recording; a second one is compared with the first, and of three or more each has a tab.</source>
        <translation>模型（.onnx、.gguf、zoo:名称）或录制文件；第二个与第一个比较，三个或更多时各占一个标签页。</translation>
    </message>
    <message>
        <source>Of the graph: state, op, backend, time, bytes, block, difference or a column of its nodes by its title.</source>
        <translation>计算图的着色：state、op、backend、time、bytes、block、difference，或节点表某列的标题。</translation>
    </message>
    <message>
        <source>Play a lesson: one of the course by its name, or a file.</source>
        <translation>播放课程：教程中某一课的名字，或一个文件。</translation>
    </message>
    <message>
        <source>Check a lesson&apos;s claims and questions without a window.</source>
        <translation>不开窗口，检查课程的陈述与问题。</translation>
    </message>
    <message>
        <source>light, dark or contrast.</source>
        <translation>light、dark 或 contrast。</translation>
    </message>
    <message>
        <source>Of a lesson&apos;s picture (-o FILE.png): the step to draw (1).</source>
        <translation>课程图片（-o FILE.png）画哪一步（1）。</translation>
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
        <source>cpu, reference, opencl or cuda; opencl:1 is its second device</source>
        <translation>cpu、reference、opencl 或 cuda；opencl:1 是它的第二个设备</translation>
    </message>
    <message>
        <source>Options of the backend</source>
        <translation>后端选项</translation>
    </message>
    <message>
        <source>NAME=VALUE: an option of the backend, as docs/ list them</source>
        <translation>NAME=VALUE：后端的一个选项，见 docs/ 中的列表</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>精度</translation>
    </message>
    <message>
        <source>high: float32; normal: float32 whose arithmetic may be rearranged; low: values are stored as float16, where the backend has it</source>
        <translation>high：float32；normal：运算次序可重排的 float32；low：后端支持时数值以 float16 存储</translation>
    </message>
    <message>
        <source>OpenCL: memory objects</source>
        <translation>OpenCL：内存对象</translation>
    </message>
    <message>
        <source>Four-dimensional tensors lie in buffers, in images where there are kernels for them, or where the device is faster</source>
        <translation>四维张量放在缓冲区、有内核支持的图像，或设备更快的一种</translation>
    </message>
    <message>
        <source>CPU: weights</source>
        <translation>CPU：权重</translation>
    </message>
    <message>
        <source>packed: copied once into the form that kernels like best, which takes at most 0.15 more; widest: however much more it takes; as-given: each lies once, which is slower; so it is where memory is preferred</source>
        <translation>packed：复制一次，成为内核最适合的形式，最多多占 0.15；widest：不论多占多少；as-given：每个权重只存一份，但较慢；以内存为先时即如此</translation>
    </message>
    <message>
        <source>OpenCL: memory mode</source>
        <translation>OpenCL：内存模式</translation>
    </message>
    <message>
        <source>low: quantised weights stay so on the device; normal: they are unpacked beside them, once; high: convolutions may also take memory for Winograd's transform</source>
        <translation>low：量化权重在设备上保持量化；normal：另外解包一份，只做一次；high：卷积还可以用内存做 Winograd 变换</translation>
    </message>
    <message>
        <source>OpenCL: filters of convolutions on images</source>
        <translation>OpenCL：图像上卷积的滤波器</translation>
    </message>
    <message>
        <source>In a buffer, in an image of the static pool, or where the device is faster</source>
        <translation>放在缓冲区、静态池的图像，或设备更快的一种</translation>
    </message>
    <message>
        <source>OpenCL: integer dot products</source>
        <translation>OpenCL：整数点积</translation>
    </message>
    <message>
        <source>Matmuls with quantised weights round their rows to bytes as well; auto: where the hardware has such products</source>
        <translation>使用量化权重的矩阵乘法把行也舍入为字节；auto：硬件支持这种点积时使用</translation>
    </message>
    <message>
        <source>OpenCL: shared virtual memory</source>
        <translation>OpenCL：共享虚拟内存</translation>
    </message>
    <message>
        <source>Buffers lie where host and device reach them by one address</source>
        <translation>缓冲区位于主机与设备可用同一地址访问的内存</translation>
    </message>
    <message>
        <source>OpenCL: pool</source>
        <translation>OpenCL：内存池</translation>
    </message>
    <message>
        <source>Which free block serves a request: one that wastes little, any larger one, none</source>
        <translation>哪种空闲块可用于请求：浪费少的、任何更大的、都不用</translation>
    </message>
    <message>
        <source>OpenCL: sizes of buffers</source>
        <translation>OpenCL：缓冲区大小</translation>
    </message>
    <message>
        <source>As large as the tensor, or as MNN&apos;s, with room around channels, rows and columns</source>
        <translation>与张量一样大，或与 MNN 的一样，通道、行和列周围留有空间</translation>
    </message>
    <message>
        <source>OpenCL: replay</source>
        <translation>OpenCL：重放</translation>
    </message>
    <message>
        <source>Runs that nobody looks into are recorded once and replayed; a run that is recorded for you to see is queued kernel by kernel, so that each has its times</source>
        <translation>无人查看的运行录制一次后重放；为查看而记录的运行逐个内核入队，使每个内核都有时间</translation>
    </message>
    <message>
        <source>OpenCL: tuning</source>
        <translation>OpenCL：调优</translation>
    </message>
    <message>
        <source>How many group sizes are tried before one is used: 2, 1, 4, 12 or 64 at most</source>
        <translation>使用前最多试多少种工作组大小：2、1、4、12 或 64</translation>
    </message>
    <message>
        <source>OpenCL: kernels</source>
        <translation>OpenCL：内核</translation>
    </message>
    <message>
        <source>plain: one kernel for all types and layouts, to compare with</source>
        <translation>plain：所有类型和布局共用一个内核，用于对比</translation>
    </message>
    <message>
        <source>OpenCL: power</source>
        <translation>OpenCL：功耗</translation>
    </message>
    <message>
        <source>What the queue asks of the device, where it has hints for it</source>
        <translation>设备支持提示时，队列对设备的要求</translation>
    </message>
    <message>
        <source>OpenCL: times of kernels</source>
        <translation>OpenCL：内核时间</translation>
    </message>
    <message>
        <source>Whether kernels carry times; tuning and what you see of the device need them</source>
        <translation>内核是否带时间；调优和设备视图都需要</translation>
    </message>
    <message>
        <source>CUDA: tf32</source>
        <translation>CUDA：tf32</translation>
    </message>
    <message>
        <source>Matmuls and convolutions round their sources to 10 bits</source>
        <translation>矩阵乘法和卷积把输入舍入为 10 位</translation>
    </message>
    <message>
        <source>CUDA: libraries</source>
        <translation>CUDA：库</translation>
    </message>
    <message>
        <source>cuBLAS and cuDNN where there are</source>
        <translation>有 cuBLAS 和 cuDNN 时使用</translation>
    </message>
    <message>
        <source>CUDA: graphs</source>
        <translation>CUDA：图</translation>
    </message>
    <message>
        <source>Runs that nobody looks into are captured and replayed</source>
        <translation>无人查看的运行会被捕获并重放</translation>
    </message>
    <message>
        <source>CUDA: chains</source>
        <translation>CUDA：链</translation>
    </message>
    <message>
        <source>Elementwise nodes in a row are one kernel</source>
        <translation>连续的逐元素节点合为一个内核</translation>
    </message>
    <message>
        <source>CUDA: activity records</source>
        <translation>CUDA：活动记录</translation>
    </message>
    <message>
        <source>Times of kernels from the driver&apos;s records rather than from timers</source>
        <translation>内核时间取自驱动的记录而非计时器</translation>
    </message>
    <message>
        <source>Ops of the host</source>
        <translation>由主机计算的算子</translation>
    </message>
    <message>
        <source>Ops that run on the CPU although the device has them, e.g. SOFT_MAX</source>
        <translation>设备虽然支持、仍在 CPU 上运行的算子，例如 SOFT_MAX</translation>
    </message>
    <message>
        <source>Memory strategy</source>
        <translation>内存策略</translation>
    </message>
    <message>
        <source>planned, eager or none</source>
        <translation>planned、eager 或 none</translation>
    </message>
    <message>
        <source>Allocator</source>
        <translation>分配器</translation>
    </message>
    <message>
        <source>Who hands out memory on the host where tensors come and go: caching, power-of-two or plain</source>
        <translation>张量来来去去时由谁在主机上分配内存：caching、power-of-two 或 plain</translation>
    </message>
    <message>
        <source>Planner</source>
        <translation>规划器</translation>
    </message>
    <message>
        <source>Who lays out the arena</source>
        <translation>由谁排布内存区</translation>
    </message>
    <message>
        <source>Order</source>
        <translation>顺序</translation>
    </message>
    <message>
        <source>Which node runs when</source>
        <translation>哪个节点何时运行</translation>
    </message>
    <message>
        <source>Time to plan</source>
        <translation>规划时间</translation>
    </message>
    <message>
        <source>Seconds for what searches</source>
        <translation>供搜索使用的秒数</translation>
    </message>
    <message>
        <source>Capacity</source>
        <translation>容量</translation>
    </message>
    <message>
        <source>Bytes for the arena: where no plan fits, ops work in place, in another order or fused, and then tensors are rematerialised or offloaded to the host</source>
        <translation>内存区的字节数：没有规划放得下时，先让算子原地计算、改变顺序或融合，再重新计算张量或把它们移到主机</translation>
    </message>
    <message>
        <source>Alignment</source>
        <translation>对齐</translation>
    </message>
    <message>
        <source>Every tensor of the arena begins at a multiple of so many bytes; GE has 512</source>
        <translation>内存区中每个张量都从该字节数的整数倍处开始；GE 用 512</translation>
    </message>
    <message>
        <source>In place</source>
        <translation>原地</translation>
    </message>
    <message>
        <source>Let an op take over its input&apos;s bytes at their last use</source>
        <translation>让算子在输入最后一次使用时接管其字节</translation>
    </message>
    <message>
        <source>Rewriting</source>
        <translation>图改写</translation>
    </message>
    <message>
        <source>What exporters spell out becomes one op, and what needs no run is taken out of it; else the model as written</source>
        <translation>导出工具展开的写法合并为一个算子，无需运行的部分移出运行；否则保持模型原样</translation>
    </message>
    <message>
        <source>Prefer</source>
        <translation>优先</translation>
    </message>
    <message>
        <source>What counts where fusion and layouts need more memory: time lets the arena be at most 1.15 times as large, memory not at all, and keeps no packed copies of weights</source>
        <translation>融合与布局需要更多内存时以何为先：time 允许内存区至多为 1.15 倍；memory 不允许增大，也不保留权重的打包副本</translation>
    </message>
    <message>
        <source>Fusion</source>
        <translation>融合</translation>
    </message>
    <message>
        <source>Chains of ops computed as one node where the backend can; else every op is a node of its own</source>
        <translation>在后端能做到之处把算子链作为一个节点计算；否则每个算子各为一个节点</translation>
    </message>
    <message>
        <source>Channels last</source>
        <translation>通道在后</translation>
    </message>
    <message>
        <source>Where chains are fused, images lie with their channels last between ops that are faster so; else row by row throughout</source>
        <translation>融合算子链时，图像在这样更快的算子之间以通道在后的方式存放；否则始终逐行存放</translation>
    </message>
    <message>
        <source>Threads</source>
        <translation>线程数</translation>
    </message>
    <message>
        <source>0: as many as there are processors</source>
        <translation>0：与处理器数相同</translation>
    </message>
    <message>
        <source>Processors</source>
        <translation>处理器</translation>
    </message>
    <message>
        <source>Where the threads stay, as 0,1,…</source>
        <translation>线程固定在哪些处理器上，例如 0,1,…</translation>
    </message>
    <message>
        <source>Niceness</source>
        <translation>优先级让步</translation>
    </message>
    <message>
        <source>Of the threads: above 0 others go first</source>
        <translation>线程的让步值：大于 0 时其他程序优先</translation>
    </message>
    <message>
        <source>Polling</source>
        <translation>轮询</translation>
    </message>
    <message>
        <source>How long a thread looks before it parks, 0 to 100</source>
        <translation>线程休眠前轮询多久，0 到 100</translation>
    </message>
    <message>
        <source>Hold threads</source>
        <translation>保持线程</translation>
    </message>
    <message>
        <source>All threads take part, even where one alone would be sooner</source>
        <translation>所有线程都参与，即使单独一个会更快</translation>
    </message>
    <message>
        <source>Every barrier</source>
        <translation>每个屏障</translation>
    </message>
    <message>
        <source>Meet behind every node, also between tiny ones in a row</source>
        <translation>每个节点之后都会合，相连的小节点之间也是</translation>
    </message>
    <message>
        <source>Drop barriers</source>
        <translation>省去屏障</translation>
    </message>
    <message>
        <source>No barrier between nodes that do not depend on each other</source>
        <translation>互不依赖的节点之间没有屏障</translation>
    </message>
    <message>
        <source>No stealing</source>
        <translation>不窃取</translation>
    </message>
    <message>
        <source>A thread never takes over another&apos;s part of a node</source>
        <translation>线程从不接管另一线程的那部分节点</translation>
    </message>
    <message>
        <source>Sizes</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>NAME=N: the size of a symbolic dimension</source>
        <translation>NAME=N：一个符号维度的大小</translation>
    </message>
    <message>
        <source>NAME=N,N,…: the shape of an input whose sizes the file leaves open</source>
        <translation>NAME=N,N,…：文件未写明大小的输入的形状</translation>
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
        <source>Language models of the zoo: sequence length</source>
        <translation>内置语言模型：序列长度</translation>
    </message>
    <message>
        <source>Prefill</source>
        <translation>预填充</translation>
    </message>
    <message>
        <source>Language models of the zoo: all tokens at once</source>
        <translation>内置语言模型：一次处理所有词元</translation>
    </message>
    <message>
        <source>Training step</source>
        <translation>训练步</translation>
    </message>
    <message>
        <source>Models of the zoo that have it: a training step</source>
        <translation>具备训练步的内置模型：一个训练步</translation>
    </message>
    <message>
        <source>Inputs from files</source>
        <translation>来自文件的输入</translation>
    </message>
    <message>
        <source>NAME=FILE (.npy or .pb); inputs without one get seeded numbers</source>
        <translation>NAME=FILE（.npy 或 .pb）；没有文件的输入得到由种子生成的数</translation>
    </message>
    <message>
        <source>Optimiser</source>
        <translation>优化器</translation>
    </message>
    <message>
        <source>What steps the parameters: adamw or sgd</source>
        <translation>更新参数的方法：adamw 或 sgd</translation>
    </message>
    <message>
        <source>Learning rate</source>
        <translation>学习率</translation>
    </message>
    <message>
        <source>The highest learning rate, before a schedule lowers it</source>
        <translation>调度降低之前的最高学习率</translation>
    </message>
    <message>
        <source>Epochs</source>
        <translation>轮数</translation>
    </message>
    <message>
        <source>How often each example is seen</source>
        <translation>每个样本被使用的次数</translation>
    </message>
    <message>
        <source>Batch</source>
        <translation>批大小</translation>
    </message>
    <message>
        <source>Examples of a step</source>
        <translation>每步的样本数</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>损失</translation>
    </message>
    <message>
        <source>cross-entropy, squared-error or binary-cross-entropy</source>
        <translation>cross-entropy（交叉熵）、squared-error（平方误差）或 binary-cross-entropy（二元交叉熵）</translation>
    </message>
    <message>
        <source>Schedule</source>
        <translation>学习率调度</translation>
    </message>
    <message>
        <source>How the learning rate falls: constant, cosine, linear or steps</source>
        <translation>学习率如何下降：constant、cosine、linear 或 steps</translation>
    </message>
    <message>
        <source>Warm-up</source>
        <translation>预热</translation>
    </message>
    <message>
        <source>Steps over which the learning rate grows before</source>
        <translation>学习率在此之前逐渐上升的步数</translation>
    </message>
    <message>
        <source>Gradient clipping</source>
        <translation>梯度裁剪</translation>
    </message>
    <message>
        <source>The most that the norm of all gradients together may be; 0: any</source>
        <translation>所有梯度合起来的范数上限；0：不限</translation>
    </message>
    <message>
        <source>f32, or bf16: what is kept for the backward pass takes half the bytes; weights stay f32</source>
        <translation>f32 或 bf16：为反向传播保留的内容只占一半字节；权重仍为 f32</translation>
    </message>
    <message>
        <source>Micro-batches</source>
        <translation>微批次数</translation>
    </message>
    <message>
        <source>Parts in which a batch goes through the graph, their gradients added up</source>
        <translation>一个批次分几部分通过计算图，其梯度相加</translation>
    </message>
    <message>
        <source>Dropout</source>
        <translation>Dropout 比例</translation>
    </message>
    <message>
        <source>The share that each dropout of the model drops instead of its own; of gpt2 and nano_gpt behind embeddings, attention and feed-forward parts</source>
        <translation>模型中每个 dropout 丢弃的比例，代替其自身的比例；对 gpt2 和 nano_gpt，位于嵌入、注意力和前馈部分之后</translation>
    </message>
    <message>
        <source>Tokens of a sequence</source>
        <translation>序列词元数</translation>
    </message>
    <message>
        <source>Of language models; 0: what the model sees, at most 512</source>
        <translation>用于语言模型；0：模型可见的词元数，最多 512</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>随机种子</translation>
    </message>
    <message>
        <source>Of the examples&apos; order, and of what is dropped</source>
        <translation>用于样本顺序以及丢弃的内容</translation>
    </message>
    <message>
        <source>Weight decay</source>
        <translation>权重衰减</translation>
    </message>
    <message>
        <source>Of all parameters that no group names</source>
        <translation>用于未被任何分组指定的所有参数</translation>
    </message>
    <message>
        <source>Weight decay of groups</source>
        <translation>分组权重衰减</translation>
    </message>
    <message>
        <source>PATTERN=DECAY: of parameters with such names another one, as &apos;*.bias=0&apos;; the last that fits counts</source>
        <translation>PATTERN=DECAY：名称匹配的参数使用另一衰减值，例如“*.bias=0”；以最后一个匹配者为准</translation>
    </message>
    <message>
        <source>Momentum</source>
        <translation>动量</translation>
    </message>
    <message>
        <source>Of sgd, below 1</source>
        <translation>用于 sgd，小于 1</translation>
    </message>
    <message>
        <source>Beta 1</source>
        <translation>Beta 1</translation>
    </message>
    <message>
        <source>Of adamw: what is kept of the first moment, below 1</source>
        <translation>用于 adamw：一阶矩的保留比例，小于 1</translation>
    </message>
    <message>
        <source>Beta 2</source>
        <translation>Beta 2</translation>
    </message>
    <message>
        <source>Of adamw: what is kept of the second moment, below 1</source>
        <translation>用于 adamw：二阶矩的保留比例，小于 1</translation>
    </message>
    <message>
        <source>Epsilon</source>
        <translation>Epsilon</translation>
    </message>
    <message>
        <source>Of adamw: what is added to the root of the second moment</source>
        <translation>用于 adamw：加到二阶矩平方根上的数</translation>
    </message>
</context>
<context>
    <name>arenascope::app::About</name>
    <message>
        <source>About Arenascope</source>
        <translation>关于 Arenascope</translation>
    </message>
    <message>
        <source>&lt;h2&gt;Arenascope %1&lt;/h2&gt;&lt;p&gt;Open a model, run it on the CPU, OpenCL or CUDA, and watch how it lives in memory.&lt;/p&gt;&lt;p&gt;The window is free software under the GNU General Public License, version 3 or later; the engine inside is under the MIT licence.&lt;/p&gt;&lt;p&gt;Built with Qt %2 and QCustomPlot.&lt;/p&gt;</source>
        <translation>&lt;h2&gt;Arenascope %1&lt;/h2&gt;&lt;p&gt;打开模型，在 CPU、OpenCL 或 CUDA 上运行，观察它如何使用内存。&lt;/p&gt;&lt;p&gt;窗口程序是自由软件，采用 GNU 通用公共许可证第 3 版或更新版本；内部引擎采用 MIT 许可证。&lt;/p&gt;&lt;p&gt;基于 Qt %2 与 QCustomPlot 构建。&lt;/p&gt;</translation>
    </message>
</context>
<context>
    <name>arenascope::app::Attached</name>
    <message>
        <source>%1 was ended by signal %2.</source>
        <translation>%1 被信号 %2 终止。</translation>
    </message>
    <message>
        <source>%1 ended with status %2.</source>
        <translation>%1 以状态 %2 结束。</translation>
    </message>
    <message>
        <source>%1 never attached: it neither carries arenascope_client.h nor uses what an adapter watches.</source>
        <translation>%1 从未附加：它既不带 arenascope_client.h，也不使用适配器所监视的内容。</translation>
    </message>
    <message>
        <source>Waiting for %1 to attach…</source>
        <translation>正在等待 %1 附加…</translation>
    </message>
    <message>
        <source>Watching %1: %2 events…</source>
        <translation>正在监视 %1：%2 个事件…</translation>
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
        <source>How many nodes of this graph it stands on</source>
        <translation>它在此图中涉及多少个节点</translation>
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
        <source>No such result was noted while this was recorded, or none was looked for: this breakpoint waits for a live run.</source>
        <translation>录制期间没有记下这样的结果，或未作检查：此断点要等到实时运行时才起作用。</translation>
    </message>
    <message>
        <source>%1 (in a live run)</source>
        <translation>%1（仅在实时运行中）</translation>
    </message>
</context>
<context>
    <name>arenascope::app::BreakpointPanel</name>
    <message>
        <source>A number of bytes is wanted, such as 64 KiB.</source>
        <translation>需要字节数，例如 64 KiB。</translation>
    </message>
    <message>
        <source>Say on what.</source>
        <translation>请填写断点的位置。</translation>
    </message>
    <message>
        <source>There is one already.</source>
        <translation>已有这样的断点。</translation>
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
        <source>Bytes, at least</source>
        <translation>字节数至少</translation>
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
        <source>On what the new breakpoint stands</source>
        <translation>新断点的位置</translation>
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
        <source>No breakpoints. F9 puts one on the selected node; others are added above.</source>
        <translation>没有断点。F9 在所选节点上设置断点；其他断点在上方添加。</translation>
    </message>
    <message>
        <source>In name patterns * stands for any text and ? for one letter. NaN and infinities are looked for in a live run; a recording knows those that were found while it ran.</source>
        <translation>名称模式中 * 代表任意文本，? 代表一个字母。NaN 与无穷在实时运行中检查；录制文件知道运行时发现了哪些。</translation>
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
    <message>
        <source>Reading %1… %2 %</source>
        <translation>正在读取 %1… %2 %</translation>
    </message>
</context>
<context>
    <name>arenascope::app::Debugger</name>
    <message>
        <source>Select a node first: a breakpoint stands on a node.</source>
        <translation>请先选择节点：断点设在节点上。</translation>
    </message>
    <message>
        <source>Select a node first: the run goes on to it.</source>
        <translation>请先选择节点：运行将进行到该节点。</translation>
    </message>
    <message>
        <source>No part of a thread was recorded further on.</source>
        <translation>后面没有记录到线程的工作片段。</translation>
    </message>
</context>
<context>
    <name>arenascope::app::Document</name>
    <message>
        <source>Compared with %1, which is B in every view: %2 nodes are the same, %3 are only here, %4 only there.</source>
        <translation>与 %1 比较，它在所有视图中是 B：%2 个节点相同，%3 个仅在此处，%4 个仅在那里。</translation>
    </message>
    <message>
        <source>Sizes that the file leaves open were assumed: %1.</source>
        <translation>文件未规定的大小已按假定取值：%1。</translation>
    </message>
    <message>
        <source>The oldest runs were let go: at most %1 of a live recording are kept.</source>
        <translation>最早的几次运行已丢弃：实时记录最多保留 %1。</translation>
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
        <source>operations computed again, up to %1 % of all</source>
        <translation>重算的运算，最多占全部的 %1 %</translation>
    </message>
    <message>
        <source>bytes of the arena</source>
        <translation>内存区的字节</translation>
    </message>
</context>
<context>
    <name>arenascope::app::Handout</name>
    <message>
        <source>No lesson is open.</source>
        <translation>没有打开课程。</translation>
    </message>
    <message>
        <source>Answers</source>
        <translation>答案</translation>
    </message>
    <message>
        <source>There is no step %1: the lesson has %2.</source>
        <translation>没有第 %1 步：本课有 %2 步。</translation>
    </message>
    <message>
        <source>%1 cannot be written.</source>
        <translation>无法写入 %1。</translation>
    </message>
</context>
<context>
    <name>arenascope::app::Headline</name>
    <message>
        <source>arena %1, no gap to the bound</source>
        <translation>内存区 %1，与下界无差距</translation>
    </message>
    <message>
        <source>arena %1, bound %2, gap %3</source>
        <translation>内存区 %1，下界 %2，差距 %3</translation>
    </message>
    <message>
        <source>median run %1</source>
        <translation>运行中位数 %1</translation>
    </message>
    <message>
        <source>Most bytes at once of each kind of memory; the plan shown; runs but the cold first one. %1</source>
        <translation>各类内存同时占用的最多字节；所示规划；不含首次冷运行。%1</translation>
    </message>
    <message>
        <source>Headline</source>
        <translation>要点</translation>
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
</context>
<context>
    <name>arenascope::app::InputSizes</name>
    <message>
        <source>channels of a block</source>
        <translation>一个块的通道数</translation>
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
        <source>A recording holds no values; open the model to see them.</source>
        <translation>记录中没有数值；请打开模型查看。</translation>
    </message>
    <message>
        <source>Pause the run to see values.</source>
        <translation>暂停运行以查看数值。</translation>
    </message>
</context>
<context>
    <name>arenascope::app::Job</name>
    <message>
        <source>Planning…</source>
        <translation>正在规划…</translation>
    </message>
    <message>
        <source>Looking for savings…</source>
        <translation>正在查找可节省之处…</translation>
    </message>
    <message>
        <source>Saving %1…</source>
        <translation>正在保存 %1…</translation>
    </message>
    <message>
        <source>Writing a text…</source>
        <translation>正在写文本…</translation>
    </message>
    <message>
        <source>Training…</source>
        <translation>正在训练…</translation>
    </message>
    <message>
        <source>Training, epoch %1…</source>
        <translation>正在训练，第 %1 轮…</translation>
    </message>
    <message>
        <source>Weighing work against memory…</source>
        <translation>正在权衡计算量与内存…</translation>
    </message>
    <message>
        <source>Replaying an allocator&apos;s requests…</source>
        <translation>正在重放分配器的请求…</translation>
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
        <source>Cancel what is being done</source>
        <translation>取消正在进行的工作</translation>
    </message>
</context>
<context>
    <name>arenascope::app::LearningPlot</name>
    <message>
        <source>Step %1: loss %2, accuracy %3 %</source>
        <translation>第 %1 步：损失 %2，准确率 %3 %</translation>
    </message>
    <message>
        <source>Loss, accuracy and the gradients&apos; norms are drawn here.</source>
        <translation>此处绘制损失、准确率和梯度范数。</translation>
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
    <name>arenascope::app::LessonGuide</name>
    <message>
        <source>the window is not ready for this step: %1 is missing</source>
        <translation>窗口还没有为这一步准备好：缺 %1</translation>
    </message>
    <message>
        <source>there is no tensor %1 in what is open</source>
        <translation>打开的内容里没有张量 %1</translation>
    </message>
    <message>
        <source>%1 cannot be done now</source>
        <translation>现在不能执行“%1”</translation>
    </message>
    <message>
        <source>there is no layout %1</source>
        <translation>没有布局 %1</translation>
    </message>
    <message>
        <source>there is no graph to plan</source>
        <translation>没有可规划的图</translation>
    </message>
    <message>
        <source>there is no panel %1</source>
        <translation>没有面板 %1</translation>
    </message>
    <message>
        <source>there is no step %1</source>
        <translation>没有第 %1 步</translation>
    </message>
    <message>
        <source>what is open cannot be run</source>
        <translation>打开的内容不能运行</translation>
    </message>
    <message>
        <source>%1 would tell the answer: it stays shut until the question of this step is answered.
Look with the other panels.</source>
        <translation>%1会说出答案：在回答本步的问题之前它一直关着。
请用别的面板查看。</translation>
    </message>
</context>
<context>
    <name>arenascope::app::MainWindow</name>
    <message>
        <source>The plan in use is shown.</source>
        <translation>正在显示使用中的规划。</translation>
    </message>
    <message>
        <source>%1, %2: %3 is shown; the plan in use is drawn as a ghost under it.</source>
        <translation>正在显示 %1、%2：%3；使用中的规划以重影画在其下。</translation>
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
        <source>Arenascope ended while it recorded. What it had is under File ▸ Recover a Recording: %n file(s).</source>
        <translation>
            <numerusform>Arenascope 在录制时意外结束。已录制的内容在 文件 ▸ 恢复录制 中：%n 个文件。</numerusform>
        </translation>
    </message>
    <message>
        <source>What if: %1 The plan in use is drawn as a ghost under it.</source>
        <translation>假如：%1正在使用的方案以虚线画在下面。</translation>
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
        <source>Paused behind %1: its result holds NaN or infinity.</source>
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
        <source>Planning the memory…</source>
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
        <source>%1 has no graph to plan.</source>
        <translation>%1 没有可规划的计算图。</translation>
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
        <source>Count the x axis in steps (T)</source>
        <translation>x 轴按步计 (T)</translation>
    </message>
    <message>
        <source>Count the x axis in time (T)</source>
        <translation>x 轴按时间计 (T)</translation>
    </message>
    <message>
        <source>Planner: where each tensor lies in the arena</source>
        <translation>规划器：每个张量放在内存区的何处</translation>
    </message>
    <message>
        <source>Planner</source>
        <translation>规划器</translation>
    </message>
    <message>
        <source>Order: which node runs when</source>
        <translation>执行顺序：各节点何时运行</translation>
    </message>
    <message>
        <source>Order</source>
        <translation>执行顺序</translation>
    </message>
</context>
<context>
    <name>arenascope::app::PreferencesForm</name>
    <message>
        <source>Keep what is recorded in a &amp;file while it runs</source>
        <translation>运行时把录制内容保存在文件中(&amp;F)</translation>
    </message>
    <message>
        <source>After a crash or a kill it is under File ▸ Recover a Recording. It goes when the file is closed.</source>
        <translation>崩溃或被终止后，可在 文件 ▸ 恢复录制 中找到。关闭文件时将其删除。</translation>
    </message>
    <message>
        <source>&amp;Language</source>
        <translation>语言(&amp;L)</translation>
    </message>
    <message>
        <source>of the system</source>
        <translation>跟随系统</translation>
    </message>
    <message>
        <source>T&amp;heme</source>
        <translation>主题(&amp;H)</translation>
    </message>
    <message>
        <source>light</source>
        <translation>浅色</translation>
    </message>
    <message>
        <source>dark</source>
        <translation>深色</translation>
    </message>
    <message>
        <source> MiB</source>
        <translation> MiB</translation>
    </message>
    <message>
        <source>In memory, and as much in the file below. Older runs are let go; holds for what is opened next.</source>
        <translation>内存中的上限，下面的文件也是同样大小。更早的运行会被丢弃；对之后打开的内容生效。</translation>
    </message>
    <message>
        <source>&amp;Keep of a live recording</source>
        <translation>实时记录保留(&amp;K)</translation>
    </message>
    <message>
        <source>high contrast</source>
        <translation>高对比度</translation>
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
        <source>%n plan(s); the smallest: %1 by %2, %3.</source>
        <translation>
            <numerusform>%n 个方案；最小的：%1，由 %2、%3 得到。</numerusform>
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
        <source>; no plan of this order can fit: the lower bound is %1</source>
        <translation>；这个顺序下没有方案放得下：下界是 %1</translation>
    </message>
    <message>
        <source>; it does not fit</source>
        <translation>；放不下</translation>
    </message>
    <message>
        <source>%1 is below the lower bound of this order, %2: only another order can fit under it.</source>
        <translation>%1 低于此顺序的下界 %2：只有换一种顺序才可能放得下。</translation>
    </message>
</context>
<context>
    <name>arenascope::app::RunController</name>
    <message>
        <source>%1: turn %2…</source>
        <translation>%1：第 %2 轮…</translation>
    </message>
    <message>
        <source>Opening %1…</source>
        <translation>正在打开 %1…</translation>
    </message>
    <message>
        <source>Planning the memory…</source>
        <translation>正在规划内存…</translation>
    </message>
</context>
<context>
    <name>arenascope::app::RunSettingsPanel</name>
    <message>
        <source>What is open is not run here.</source>
        <translation>所打开的内容不在此运行。</translation>
    </message>
    <message>
        <source>Nothing is open.</source>
        <translation>没有打开任何内容。</translation>
    </message>
    <message>
        <source>usually none</source>
        <translation>通常为空</translation>
    </message>
    <message>
        <source>usually %1</source>
        <translation>通常 %1</translation>
    </message>
    <message>
        <source>Open with These</source>
        <translation>按此打开</translation>
    </message>
    <message>
        <source>They are remembered for this file or model</source>
        <translation>会为该文件或模型记住</translation>
    </message>
    <message>
        <source>As Usual</source>
        <translation>恢复通常设置</translation>
    </message>
    <message>
        <source>As the preferences say; what was remembered is forgotten</source>
        <translation>按首选项；忘记已记住的设置</translation>
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
        <source>Usually</source>
        <translation>通常</translation>
    </message>
    <message>
        <source>Meaning</source>
        <translation>含义</translation>
    </message>
    <message>
        <source>A lesson says how this is run. Your own settings are as they were.</source>
        <translation>这由一课决定如何运行。你自己的设置没有变。</translation>
    </message>
</context>
<context>
    <name>arenascope::app::SavingText</name>
    <message>
        <source>ops work in place</source>
        <translation>算子原地计算</translation>
    </message>
    <message>
        <source>the nodes run in the order %1</source>
        <translation>节点按顺序 %1 运行</translation>
    </message>
    <message>
        <source>chains of ops are computed as one node each</source>
        <translation>每条算子链作为一个节点计算</translation>
    </message>
    <message>
        <source>%1 lays it out</source>
        <translation>由 %1 排布</translation>
    </message>
    <message>
        <source>It fits under %1 with %2, if: %3.</source>
        <translation>放得下：上限 %1，需要 %2，条件是：%3。</translation>
    </message>
    <message>
        <source>No op in place and no other order brings it under %1.</source>
        <translation>原地计算和其他顺序都不能降到 %1 以下。</translation>
    </message>
    <message>
        <source>Opened with fused chains it would take %1: Run Settings ▸ Fusion.</source>
        <translation>以融合链打开时需要 %1：运行设置 ▸ 融合。</translation>
    </message>
    <message>
        <source>Without computing more it comes to %1: %2.</source>
        <translation>不增加计算可降到 %1：%2。</translation>
    </message>
</context>
<context>
    <name>arenascope::app::Shell</name>
    <message>
        <source>Attach to a Program</source>
        <translation>附加到程序</translation>
    </message>
    <message>
        <source>The program to be started, with its &amp;arguments:</source>
        <translation>要启动的程序及其参数(&amp;A)：</translation>
    </message>
    <message>
        <source>./program --option value</source>
        <translation>./程序 --选项 值</translation>
    </message>
    <message>
        <source>Record blocks of its &amp;heap, by call site</source>
        <translation>按调用点记录堆中的内存块(&amp;H)</translation>
    </message>
    <message>
        <source>Programs that carry arenascope_client.h and OpenCL programs are recorded as they are. The program&apos;s output goes where this one&apos;s goes.</source>
        <translation>带有 arenascope_client.h 的程序和 OpenCL 程序可直接记录。该程序的输出与本程序的输出去向相同。</translation>
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
        <source>Open the file to compare with in another tab first.</source>
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
        <source>Models and recordings (*.onnx *.gguf *.arenascope *.pftrace *.perfetto-trace *.json *.json.gz *.pickle *.etdp *.pte *.jsonl *.csv);;All files (*)</source>
        <translation>模型与记录 (*.onnx *.gguf *.arenascope *.pftrace *.perfetto-trace *.json *.json.gz *.pickle *.etdp *.pte *.jsonl *.csv);;所有文件 (*)</translation>
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
        <translation>Chrome 跟踪 (*.json);;时间段 (*.csv);;内存 (*.memory.csv);;文本 (*.txt)</translation>
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
        <source>%1 is no table.</source>
        <translation>%1 不是表格。</translation>
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
        <source>Graphviz (*.dot)</source>
        <translation>Graphviz (*.dot)</translation>
    </message>
    <message>
        <source>%1 cannot be written.</source>
        <translation>无法写入 %1。</translation>
    </message>
    <message>
        <source>This plan answers a what-if: it can be looked at and exported, but not run.</source>
        <translation>这个方案回答的是“假如”：可以查看和导出，但不能运行。</translation>
    </message>
    <message>
        <source>Export the plan</source>
        <translation>导出方案</translation>
    </message>
    <message>
        <source>Plans (*.json *.csv)</source>
        <translation>方案 (*.json *.csv)</translation>
    </message>
    <message>
        <source>The plan was written to %1.</source>
        <translation>方案已写入 %1。</translation>
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
        <source>The layout “%1” cannot be read; it is of another version.</source>
        <translation>无法读取布局“%1”；它属于其他版本。</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>The layout “%1” was saved. It is in the menu View.</source>
        <translation>布局“%1”已保存，位于“视图”菜单中。</translation>
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
        <source>Sizes of Inputs</source>
        <translation>输入大小</translation>
    </message>
    <message>
        <source>The file leaves these sizes open. They are remembered for it.</source>
        <translation>文件未规定这些大小。所填的值会按文件记住。</translation>
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
        <source>%1 is a lesson now. Write its sentences, then play it again.</source>
        <translation>%1 现在是一课了。写好其中的句子，再播放一遍。</translation>
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
        <source>The lesson was written to %1.</source>
        <translation>本课已写入 %1。</translation>
    </message>
    <message>
        <source>Pin a Note</source>
        <translation>固定注释</translation>
    </message>
    <message>
        <source>Note at this moment; none takes the one that is there away:</source>
        <translation>此刻的注释；留空则删除已有的：</translation>
    </message>
    <message>
        <source>Open a model to plan its memory</source>
        <translation>打开模型以规划其内存</translation>
    </message>
    <message>
        <source>Models (*.onnx *.gguf);;All files (*)</source>
        <translation>模型 (*.onnx *.gguf);;所有文件 (*)</translation>
    </message>
</context>
<context>
    <name>arenascope::app::StatusCorner</name>
    <message>
        <source>live</source>
        <translation>存活</translation>
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
        <source>Events that could not be recorded because a ring was full</source>
        <translation>因环形缓冲区已满而未能记录的事件</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>What is kept of the recording. Beyond it the oldest runs are let go: Edit ▸ Preferences</source>
        <translation>记录保留的大小。超出后丢弃最早的运行：编辑 ▸ 首选项</translation>
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
        <source>Prompt: %1 tokens a second</source>
        <translation>提示：每秒 %1 个词元</translation>
    </message>
    <message>
        <source>Decode: %1 tokens a second</source>
        <translation>解码：每秒 %1 个词元</translation>
    </message>
    <message>
        <source>The model ended the text.</source>
        <translation>模型结束了文本。</translation>
    </message>
    <message>
        <source>The model is being prepared…</source>
        <translation>正在准备模型…</translation>
    </message>
    <message>
        <source>What the model is to go on from is typed above.</source>
        <translation>在上方输入让模型续写的内容。</translation>
    </message>
    <message>
        <source>Open a language model (a GGUF file) to let it write.</source>
        <translation>打开一个语言模型（GGUF 文件）让它写作。</translation>
    </message>
    <message>
        <source>Click a token to see what it was chosen by and where it lies.</source>
        <translation>点击一个词元，查看它的选择依据和所在位置。</translation>
    </message>
    <message>
        <source>Token %1 &apos;%2&apos; at place %3</source>
        <translation>词元 %1 “%2”，位置 %3</translation>
    </message>
    <message>
        <source>row %1 of the cache</source>
        <translation>缓存第 %1 行</translation>
    </message>
    <message>
        <source>run %1</source>
        <translation>第 %1 次运行</translation>
    </message>
    <message>
        <source>steps 0 to %1</source>
        <translation>步骤 0 至 %1</translation>
    </message>
    <message>
        <source>not computed yet</source>
        <translation>尚未计算</translation>
    </message>
    <message>
        <source>Place</source>
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
        <source>Cache row</source>
        <translation>缓存行</translation>
    </message>
    <message>
        <source>Logit</source>
        <translation>逻辑值</translation>
    </message>
    <message>
        <source>Probability</source>
        <translation>概率</translation>
    </message>
    <message>
        <source>What the text begins with</source>
        <translation>文本的开头</translation>
    </message>
    <message>
        <source>&amp;Chat</source>
        <translation>对话(&amp;C)</translation>
    </message>
    <message>
        <source>The prompt is what a user says, in the chat template of the file.</source>
        <translation>提示作为用户的话，套用文件中的对话模板。</translation>
    </message>
    <message>
        <source>How many tokens</source>
        <translation>词元数量</translation>
    </message>
    <message>
        <source>&amp;Write</source>
        <translation>写作(&amp;W)</translation>
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
        <source>The text, token by token</source>
        <translation>逐词元的文本</translation>
    </message>
    <message>
        <source>The most likely tokens</source>
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
        <source>Say what to learn from: IMAGES,LABELS in the idx format, or of language models a file of tokens or sort:SEED.</source>
        <translation>请指定训练数据：idx 格式的 IMAGES,LABELS；语言模型可用词元文件或 sort:SEED。</translation>
    </message>
    <message>
        <source>Open a model to train it.</source>
        <translation>打开一个模型进行训练。</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>步骤</translation>
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
        <source>What the model learns from</source>
        <translation>模型的训练数据</translation>
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
        <translation>内存边界(&amp;M)</translation>
    </message>
    <message>
        <source>Finds how many bytes of activations can be spared by computing them again, and what that costs. The slider chooses with how many bytes to train.</source>
        <translation>求出重新计算激活值可以节省多少字节以及代价如何。滑块选择用多少字节训练。</translation>
    </message>
    <message>
        <source>Bytes of the arena</source>
        <translation>内存区字节数</translation>
    </message>
    <message>
        <source>Loss, accuracy and gradient norms</source>
        <translation>损失、准确率和梯度范数</translation>
    </message>
    <message>
        <source>Bytes of the arena against operations</source>
        <translation>内存区的字节与运算</translation>
    </message>
    <message>
        <source>&amp;Options</source>
        <translation>选项(&amp;O)</translation>
    </message>
    <message>
        <source>Loss, schedule, precision and what else a training is told</source>
        <translation>损失、调度、精度以及训练的其他设置</translation>
    </message>
</context>
<context>
    <name>arenascope::app::ValueReader</name>
    <message>
        <source>It is not computed yet.</source>
        <translation>尚未计算。</translation>
    </message>
    <message>
        <source>Its bytes hold another tensor now. Pause right behind it to see its values.</source>
        <translation>它的字节现已被其他张量占用。在其后立即暂停即可查看数值。</translation>
    </message>
    <message>
        <source>There is no such tensor.</source>
        <translation>没有此张量。</translation>
    </message>
    <message>
        <source>Values of this type are not shown.</source>
        <translation>不显示此类型的数值。</translation>
    </message>
    <message>
        <source>It holds no bytes now.</source>
        <translation>它当前没有字节。</translation>
    </message>
</context>
<context>
    <name>arenascope::app::WelcomePage</name>
    <message>
        <source>Open a model, run it, and watch how it lives in memory.</source>
        <translation>打开模型，运行它，观察它如何使用内存。</translation>
    </message>
    <message>
        <source>Or drop a model, a recording, another tool&apos;s trace or a list of buffers here.</source>
        <translation>也可将模型、录制、其他工具的跟踪或缓冲区列表拖放到此处。</translation>
    </message>
    <message>
        <source>Open again</source>
        <translation>再次打开</translation>
    </message>
    <message>
        <source>Built in</source>
        <translation>内置模型</translation>
    </message>
    <message>
        <source>Lessons</source>
        <translation>课程</translation>
    </message>
</context>
<context>
    <name>arenascope::views::ArenaColourWords</name>
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
        <source>result, its neighbours in tints</source>
        <translation>结果，相邻者深浅不同</translation>
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
        <translation>种类</translation>
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
        <source>Age: how long it lives</source>
        <translation>存活时长</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>Time of its node</source>
        <translation>所属节点的时间</translation>
    </message>
</context>
<context>
    <name>arenascope::views::ArenaView</name>
    <message>
        <source>loops and branches in this plan</source>
        <translation>循环与分支在此计划中</translation>
    </message>
    <message numerus="yes">
        <source>%n operator(s) planned behind it</source>
        <translation>
            <numerusform>其后规划 %n 个算子</numerusform>
        </translation>
    </message>
    <message>
        <source>planned for sizes that the run before it made</source>
        <translation>按前一次运行得出的尺寸规划</translation>
    </message>
    <message>
        <source>place observed; from when to when derived from the spans and the plan</source>
        <translation>位置为实测；起止时间由运行区间与规划推导</translation>
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
        <translation>空洞最多 %1</translation>
    </message>
    <message numerus="yes">
        <source>%n tensor(s) off the plan</source>
        <translation>
            <numerusform>%n 个张量偏离规划</numerusform>
        </translation>
    </message>
    <message>
        <source>seen</source>
        <translation>实际</translation>
    </message>
    <message>
        <source>planned</source>
        <translation>规划</translation>
    </message>
    <message>
        <source>new block</source>
        <translation>新块</translation>
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
        <source>plan before</source>
        <translation>先前的规划</translation>
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
        <source>touched bytes that the plan does not give it</source>
        <translation>访问了规划未分配给它的字节</translation>
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
        <translation>B：保留最多 %1</translation>
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
            <numerusform>%n 个块</numerusform>
        </translation>
    </message>
    <message>
        <source>observed</source>
        <translation>实测</translation>
    </message>
    <message>
        <source>places observed, times derived</source>
        <translation>位置为实测，时间为推导</translation>
    </message>
    <message>
        <source>Addresses of</source>
        <translation>显示哪里的地址</translation>
    </message>
    <message>
        <source>peak %1</source>
        <translation>峰值 %1</translation>
    </message>
    <message>
        <source>reserved up to %1</source>
        <translation>保留最多 %1</translation>
    </message>
    <message>
        <source>free in spaces up to %1</source>
        <translation>空间中空闲最多 %1</translation>
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
        <source>%1 · %2 · %3</source>
        <translation>%1 · %2 · %3</translation>
    </message>
    <message>
        <source>address %1</source>
        <translation>地址 %1</translation>
    </message>
    <message>
        <source>lives since %1</source>
        <translation>已存活 %1</translation>
    </message>
    <message>
        <source>lived %1</source>
        <translation>存活了 %1</translation>
    </message>
    <message>
        <source>free in a space of %1
%2 · address %3</source>
        <translation>空间中的空闲部分，空间共 %1
%2 · 地址 %3</translation>
    </message>
    <message>
        <source>Nothing here was placed in an arena.</source>
        <translation>此处没有内容放在内存区中。</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>What a plan would need</source>
        <translation>规划需要多少</translation>
    </message>
    <message>
        <source>a plan would need %1</source>
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
        <source>Where you are</source>
        <translation>当前位置</translation>
    </message>
    <message>
        <source>The way back out: a click shows the whole of it</source>
        <translation>返回的路径：点击即显示其整体</translation>
    </message>
    <message>
        <source>%1 of time</source>
        <translation>一段时间 %1</translation>
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
        <translation>块</translation>
    </message>
    <message>
        <source>Difference of B</source>
        <translation>与 B 的差异</translation>
    </message>
    <message>
        <source>What the colours of the graph tell</source>
        <translation>图中颜色的含义</translation>
    </message>
    <message>
        <source>Colour by</source>
        <translation>着色依据</translation>
    </message>
</context>
<context>
    <name>arenascope::views::Export</name>
    <message>
        <source>cannot write the picture %1: %2</source>
        <translation>无法写入图片 %1：%2</translation>
    </message>
    <message>
        <source>its size must lie between 16 and 20000 pixels, 32000 when scaled</source>
        <translation>边长必须在 16 到 20000 像素之间，缩放后不超过 32000</translation>
    </message>
    <message>
        <source>its name must end in .png, .svg or .pdf</source>
        <translation>文件名必须以 .png、.svg 或 .pdf 结尾</translation>
    </message>
    <message>
        <source>painting it failed</source>
        <translation>绘制失败</translation>
    </message>
</context>
<context>
    <name>arenascope::views::Findings</name>
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
        <source>The order %1 lowers the arena by %2.</source>
        <translation>顺序 %1 使内存区减小 %2。</translation>
    </message>
    <message>
        <source>The planner %1 lowers the arena by %2 on the same order.</source>
        <translation>在同样的顺序下，规划器 %1 使内存区减小 %2。</translation>
    </message>
    <message numerus="yes">
        <source>If ops worked in place where they may, %n of them, the arena would be %1 smaller.</source>
        <translation>
            <numerusform>若让可以就地计算的运算（%n 个）就地计算，内存区可减小 %1。</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 may write over %2, whose last user it is: in place, the arena is %3 smaller.</source>
        <translation>%1 是 %2 的最后使用者，可以直接覆盖它：就地计算，内存区可减小 %3。</translation>
    </message>
    <message>
        <source>An alignment of %1 bytes instead of %2 saves %3 of padding.</source>
        <translation>对齐用 %1 字节而不是 %2 字节，可省去 %3 的填充。</translation>
    </message>
    <message>
        <source>%1 lies unused for %2 steps around the peak: rematerialising it behind them lowers the arena by %3.</source>
        <translation>%1 在峰值前后有 %2 步闲置：之后重新计算它，内存区可减小 %3。</translation>
    </message>
    <message numerus="yes">
        <source>%n tensors lie unused around the peak: rematerialising them behind it lowers the arena by %1 (%2).</source>
        <translation>
            <numerusform>有 %n 个张量在峰值前后闲置：之后重新计算它们，内存区可减小 %1（%2）。</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 lies unused for %2 steps around the peak: offloading it to the host and back, %3 in all, lowers the arena by %4.</source>
        <translation>%1 在峰值前后有 %2 步闲置：把它复制出去再复制回来（共 %3），内存区可减小 %4。</translation>
    </message>
    <message numerus="yes">
        <source>%n tensors lie unused around the peak: offloading them to the host and back, %1 in all, lowers the arena by %2 (%3).</source>
        <translation>
            <numerusform>有 %n 个张量在峰值前后闲置：复制出去再复制回来（共 %1），内存区可减小 %2（%3）。</numerusform>
        </translation>
    </message>
    <message>
        <source>What %1 joins could be computed where it joins it: %2 are not copied, and the arena is %3 smaller.</source>
        <translation>%1 所拼接的内容可以直接在拼接处计算：少复制 %2，内存区可减小 %3。</translation>
    </message>
    <message>
        <source>%1 copies %2 that lie in order already: without it the arena is %3 smaller.</source>
        <translation>%1 复制了 %2 本已按顺序排列的数据：去掉它，内存区可减小 %3。</translation>
    </message>
    <message>
        <source>%1 copies %2 that lie in order already.</source>
        <translation>%1 复制了 %2 本已按顺序排列的数据。</translation>
    </message>
    <message numerus="yes">
        <source>At the peak %1 of the arena, %2, lie in %n hole(s); above them: %3.</source>
        <translation>
            <numerusform>峰值时内存区有 %1（%2）落在 %n 个空洞中；其上方是：%3。</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 comes last at %2 of the barriers; the others wait %3 a run for it.</source>
        <translation>%1 在 %2 的屏障处最后到达；其他线程每次运行为它等待 %3。</translation>
    </message>
    <message numerus="yes">
        <source>Behind %1 the threads wait %2 of their time, %3 a run together; it is split into %n part(s).</source>
        <translation>
            <numerusform>在 %1 之后，线程有 %2 的时间在等待，每次运行合计 %3；它被分成 %n 份。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 is copied between devices %n times a run; once would save %2.</source>
        <translation>
            <numerusform>%1 每次运行在设备之间复制 %n 次；只复制一次可省 %2。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>At the peak, after %1, %2 are handed out in %n block(s): %3.</source>
        <translation>
            <numerusform>峰值时（%1 之后），共分配 %2，分在 %n 个块中：%3。</numerusform>
        </translation>
    </message>
    <message>
        <source>Spaces held up to %1 at once that nobody used, as much as %2 of the most that they held.</source>
        <translation>空间中同时最多有 %1 无人使用，相当于其最大持有量的 %2。</translation>
    </message>
    <message numerus="yes">
        <source>At the peak, %1 of what is handed out, %2, were not asked for but lie in %n block(s): %3.</source>
        <translation>
            <numerusform>峰值时，已分配内存中有 %1（%2）并未被请求，位于 %n 个块中：%3。</numerusform>
        </translation>
    </message>
    <message>
        <source>A plan of the same lifetimes needs %1, by the planner %2: %3 less than the spaces held.</source>
        <translation>对同样的生命周期做规划需要 %1（规划器 %2）：比空间持有的少 %3。</translation>
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
        <translation>发现</translation>
    </message>
    <message>
        <source>Bytes of the arena by a plan that was really made, or time a run; — where it only tells</source>
        <translation>由真正做出的方案得到的内存区字节数，或每次运行的时间；— 表示仅作说明</translation>
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
        <source>Show the plan that would be, over the one in use</source>
        <translation>把将会得到的方案叠放在正在使用的方案之上</translation>
    </message>
    <message>
        <source>Replanning…</source>
        <translation>正在重新规划…</translation>
    </message>
    <message numerus="yes">
        <source>%n finding(s)</source>
        <translation>
            <numerusform>%n 项发现</numerusform>
        </translation>
    </message>
    <message>
        <source>Looking for what could be better…</source>
        <translation>正在查找可以改进之处…</translation>
    </message>
    <message>
        <source>Nothing is open.</source>
        <translation>没有打开任何内容。</translation>
    </message>
    <message>
        <source>Look Again</source>
        <translation>重新查找</translation>
    </message>
    <message>
        <source>Look for savings in the plan and the run at hand</source>
        <translation>在当前方案和运行中查找可节省之处</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>for at most</source>
        <translation>最多用时</translation>
    </message>
    <message>
        <source> s</source>
        <translation> 秒</translation>
    </message>
    <message>
        <source>Seconds to look</source>
        <translation>查找用时（秒）</translation>
    </message>
    <message>
        <source>Findings</source>
        <translation>发现</translation>
    </message>
    <message>
        <source>Nothing was found: there is no graph that could be planned anew.</source>
        <translation>没有发现：没有可以重新规划的图。</translation>
    </message>
    <message>
        <source>Not looked through yet.</source>
        <translation>尚未查找。</translation>
    </message>
    <message>
        <source>Nothing was found.</source>
        <translation>没有发现什么。</translation>
    </message>
</context>
<context>
    <name>arenascope::views::GraphCanvas</name>
    <message>
        <source>Graph</source>
        <translation>计算图</translation>
    </message>
    <message>
        <source>The network as boxes and arrows. The table “Nodes” tells the same.</source>
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
        <source>No graph: a model or a recording of one has it, a trace of another program has none.</source>
        <translation>没有计算图：模型或其录制才有，其他程序的跟踪没有。</translation>
    </message>
    <message>
        <source>only in B: %1</source>
        <translation>仅在 B 中：%1</translation>
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
        <source>Return: next match, Shift+Return: the one before (Ctrl+F)</source>
        <translation>回车：下一个匹配；Shift+回车：上一个 (Ctrl+F)</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
</context>
<context>
    <name>arenascope::views::GraphView</name>
    <message>
        <source>this column is not told here</source>
        <translation>这里没有这一列</translation>
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
        <source>to come</source>
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
        <translation>块 %1</translation>
    </message>
    <message>
        <source>Block</source>
        <translation>块</translation>
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
        <source>Difference of B</source>
        <translation>与 B 的差异</translation>
    </message>
    <message>
        <source>nothing is compared with</source>
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
        <source>only here</source>
        <translation>仅在此处</translation>
    </message>
    <message numerus="yes">
        <source>%n node(s) only in B</source>
        <translation>
            <numerusform>%n 个节点仅在 B 中</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>arenascope::views::Incomplete</name>
    <message>
        <source>%1 events lost</source>
        <translation>丢失 %1 个事件</translation>
    </message>
    <message>
        <source>older events let go</source>
        <translation>较早的事件已被舍弃</translation>
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
        <source>%1 (%2 bytes)</source>
        <translation>%1（%2 字节）</translation>
    </message>
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
        <source>Place in the arena</source>
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
        <translation>块</translation>
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
        <translation>就地取代</translation>
    </message>
    <message>
        <source>looks at</source>
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
        <source>waiting behind it</source>
        <translation>其后等待</translation>
    </message>
    <message>
        <source>%1 a run, all threads</source>
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
        <source>Sources</source>
        <translation>来源</translation>
    </message>
    <message>
        <source>Users</source>
        <translation>使用者</translation>
    </message>
    <message>
        <source>Block %1</source>
        <translation>块 %1</translation>
    </message>
    <message numerus="yes">
        <source>%n tensor(s), one after the other</source>
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
        <source>lasts</source>
        <translation>持续</translation>
    </message>
    <message>
        <source>begins</source>
        <translation>开始于</translation>
    </message>
    <message>
        <source>last to arrive</source>
        <translation>最后到达</translation>
    </message>
    <message>
        <source>all waited</source>
        <translation>等待合计</translation>
    </message>
    <message>
        <source>nodes without a barrier</source>
        <translation>没有屏障的节点数</translation>
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
        <source>leafs</source>
        <translation>叶</translation>
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
        <source>above the bound</source>
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
        <source>lasted</source>
        <translation>用时</translation>
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
        <source>It has no counterpart there.</source>
        <translation>在那里没有对应的张量。</translation>
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
        <source>place</source>
        <translation>位置</translation>
    </message>
    <message>
        <source>mean a run</source>
        <translation>每次运行平均</translation>
    </message>
    <message>
        <source>median, quartiles</source>
        <translation>中位数、四分位数</translation>
    </message>
    <message>
        <source>%1, the cold first one</source>
        <translation>%1，冷启动的第一次</translation>
    </message>
    <message>
        <source>%1, incomplete</source>
        <translation>%1，不完整</translation>
    </message>
    <message>
        <source>%1; %2 left out</source>
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
        <source>%1 a run</source>
        <translation>每次运行 %1</translation>
    </message>
    <message>
        <source>parts a run</source>
        <translation>每次运行的部分数</translation>
    </message>
    <message>
        <source>host, to queue it</source>
        <translation>主机排队用时</translation>
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
        <source>threads asked for</source>
        <translation>要求的线程数</translation>
    </message>
    <message>
        <source>paused, beside that</source>
        <translation>另有暂停</translation>
    </message>
    <message>
        <source>resident memory</source>
        <translation>常驻内存</translation>
    </message>
    <message>
        <source>outside of all spaces</source>
        <translation>不属于任何空间</translation>
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
        <source>Sums</source>
        <translation>合计</translation>
    </message>
    <message>
        <source>waiting behind them</source>
        <translation>其后的等待</translation>
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
        <translation>生存期</translation>
    </message>
    <message>
        <source>last result used in</source>
        <translation>结果最后用于步骤</translation>
    </message>
    <message>
        <source>kept behind it</source>
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
        <source>A range of time</source>
        <translation>一段时间</translation>
    </message>
    <message>
        <source>most allocated</source>
        <translation>分配最多时</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>taken</source>
        <translation>取得</translation>
    </message>
    <message>
        <source>given back</source>
        <translation>归还</translation>
    </message>
    <message>
        <source>By thread or queue</source>
        <translation>按线程或队列</translation>
    </message>
    <message>
        <source>By name, what is nested too</source>
        <translation>按名称（含嵌套）</translation>
    </message>
    <message>
        <source>Of the first %1 spans of each row.</source>
        <translation>仅计每行前 %1 段。</translation>
    </message>
    <message>
        <source>not by the end of the trace</source>
        <translation>到跟踪结束时尚未归还</translation>
    </message>
    <message>
        <source>When it was taken</source>
        <translation>取得之时</translation>
    </message>
    <message>
        <source>live then</source>
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
        <source>for</source>
        <translation>用途</translation>
    </message>
    <message>
        <source>allocator</source>
        <translation>分配器</translation>
    </message>
    <message>
        <source>asked for</source>
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
        <source>lies at</source>
        <translation>位于</translation>
    </message>
    <message>
        <source>of</source>
        <translation>属于</translation>
    </message>
    <message>
        <source>By layer</source>
        <translation>按层</translation>
    </message>
    <message>
        <source>Taken by</source>
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
        <source>Place in memory, observed</source>
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
        <source>put there</source>
        <translation>放入</translation>
    </message>
    <message numerus="yes">
        <source>%n time(s) in the run</source>
        <translation>
            <numerusform>该次运行中 %n 次</numerusform>
        </translation>
    </message>
    <message>
        <source>known from</source>
        <translation>依据</translation>
    </message>
    <message>
        <source>the plan</source>
        <translation>规划</translation>
    </message>
    <message>
        <source>places observed, times derived</source>
        <translation>位置实测，时间推导</translation>
    </message>
    <message>
        <source>observed</source>
        <translation>实测</translation>
    </message>
    <message>
        <source>seen at</source>
        <translation>实测位于</translation>
    </message>
    <message>
        <source>Whose bytes it has</source>
        <translation>它使用谁的字节</translation>
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
        <source>none before it is computed</source>
        <translation>计算之前没有</translation>
    </message>
    <message>
        <source>references</source>
        <translation>引用计数</translation>
    </message>
    <message>
        <source>borrowed, never given back</source>
        <translation>借用，不会归还</translation>
    </message>
    <message>
        <source>(a view)</source>
        <translation>（视图）</translation>
    </message>
    <message numerus="yes">
        <source>%n source(s)</source>
        <translation>
            <numerusform>作为 %n 个源</numerusform>
        </translation>
    </message>
    <message>
        <source>replay on %1</source>
        <translation>%1 上的重放</translation>
    </message>
    <message>
        <source>not possible with the device, or with what runs</source>
        <translation>设备或所运行的内容不支持</translation>
    </message>
    <message>
        <source>queued kernel by kernel, so that each has its times; runs that nobody looks into are recorded and replayed</source>
        <translation>逐个内核入队，使每个内核都有时间；无人查看的运行会被录制并重放</translation>
    </message>
    <message>
        <source>was tried, and the driver refused</source>
        <translation>曾尝试，但驱动程序拒绝</translation>
    </message>
    <message>
        <source>%1 kernels in %2 segments, replayed %3 times</source>
        <translation>%1 个内核，分 %2 段，已重放 %3 次</translation>
    </message>
    <message>
        <source>lasts so far</source>
        <translation>目前已历时</translation>
    </message>
    <message>
        <source>Kernels in this run</source>
        <translation>本次运行的内核</translation>
    </message>
    <message>
        <source>entries of the file</source>
        <translation>文件中的条目</translation>
    </message>
    <message>
        <source>events made of them</source>
        <translation>由其生成的事件</translation>
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
        <source>What</source>
        <translation>内容</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>值</translation>
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
        <source>Do It Again</source>
        <translation>再做一次</translation>
    </message>
    <message>
        <source>Bring the window to where this step wants it</source>
        <translation>让窗口回到这一步所需的状态</translation>
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
        <source>Large type, and a frame around what is spoken of: for a class</source>
        <translation>大字，并框出正在讲的内容：课堂用</translation>
    </message>
    <message>
        <source>Large Type</source>
        <translation>大字</translation>
    </message>
</context>
<context>
    <name>arenascope::views::Lessons</name>
    <message>
        <source>shown</source>
        <translation>看了答案</translation>
    </message>
    <message>
        <source>not answered</source>
        <translation>未回答</translation>
    </message>
    <message>
        <source>right at once</source>
        <translation>一次答对</translation>
    </message>
    <message>
        <source>right, after a hint</source>
        <translation>看提示后答对</translation>
    </message>
    <message>
        <source>right at try %1</source>
        <translation>第 %1 次答对</translation>
    </message>
    <message>
        <source>step %1 of %2</source>
        <translation>第 %1 步，共 %2 步</translation>
    </message>
    <message>
        <source>After: %1</source>
        <translation>先学：%1</translation>
    </message>
    <message>
        <source>What was answered</source>
        <translation>回答情况</translation>
    </message>
    <message>
        <source>Read on: %1</source>
        <translation>继续阅读：%1</translation>
    </message>
    <message>
        <source>Builds on it: %1</source>
        <translation>在此之上：%1</translation>
    </message>
    <message>
        <source>That is no number. Units as KiB and MiB may stand behind it.</source>
        <translation>这不是数。后面可以带 KiB、MiB 这样的单位。</translation>
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
        <source>Too few: at step %1 there live %2, together %3.</source>
        <translation>太少：第 %1 步存活的有 %2，共 %3。</translation>
    </message>
    <message>
        <source>That is %1, with %2.</source>
        <translation>这是 %1，%2。</translation>
    </message>
    <message>
        <source>That is %1: %2, needed from step %3 to step %4.</source>
        <translation>这是 %1：%2，从第 %3 步到第 %4 步需要。</translation>
    </message>
    <message>
        <source>%1 collides with %2: both are needed from step %3 to step %4, and they share %5.</source>
        <translation>%1 与 %2 冲突：从第 %3 步到第 %4 步两者都需要，却有 %5 重叠。</translation>
    </message>
    <message>
        <source>%1 must begin at a multiple of %2.</source>
        <translation>%1 必须从 %2 的倍数处开始。</translation>
    </message>
    <message>
        <source>Everything fits, but the arena has %1 so, and %2 are enough.</source>
        <translation>都放得下，但这样内存区要 %1，其实 %2 就够了。</translation>
    </message>
    <message>
        <source>Still without a place: %1.</source>
        <translation>还没有位置的：%1。</translation>
    </message>
    <message>
        <source>%1 stands before %2, which it reads: its bytes would not be there yet.</source>
        <translation>%1 排在它要读的 %2 之前：那时还没有那些字节。</translation>
    </message>
    <message>
        <source>It works, but at step %1 there live %2: %3, and %4 are enough.</source>
        <translation>可行，但第 %1 步存活的有 %2：共 %3，其实 %4 就够了。</translation>
    </message>
    <message>
        <source>At position %1 stands %2. Something else is there.</source>
        <translation>第 %1 位是 %2，但那里应是别的。</translation>
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
        <translation>请点击该块，或其中的一个张量。</translation>
    </message>
    <message>
        <source>Click the barrier in the timeline, or its line in the table.</source>
        <translation>请点击时间线中的屏障，或表中它的那一行。</translation>
    </message>
    <message>
        <source>Drag each tensor to its place; or choose it with Tab and move it with the arrow keys.</source>
        <translation>把每个张量拖到它的位置；或用 Tab 选中，再用方向键移动。</translation>
    </message>
    <message>
        <source>Drag the lines into order; or move the chosen one with Ctrl and the arrow keys.</source>
        <translation>把各行拖成正确的顺序；或用 Ctrl 加方向键移动选中的一行。</translation>
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
        <translation>占块的比例</translation>
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
        <translation>块 %1</translation>
    </message>
    <message>
        <source>place %1</source>
        <translation>位置 %1</translation>
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
        <source>plan before</source>
        <translation>之前的方案</translation>
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
            <numerusform>%n 个块</numerusform>
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
        <source>lives since %1</source>
        <translation>已存活 %1</translation>
    </message>
    <message>
        <source>lived %1</source>
        <translation>存活了 %1</translation>
    </message>
    <message>
        <source>There is no memory plan here: lifetimes are those of its tensors.</source>
        <translation>此处没有内存规划：生存期属于规划中的张量。</translation>
    </message>
    <message>
        <source>What a plan would need</source>
        <translation>规划需要多少</translation>
    </message>
    <message>
        <source>a plan would need %1</source>
        <translation>规划需要 %1</translation>
    </message>
    <message>
        <source>places observed, times derived</source>
        <translation>位置实测，时间推导</translation>
    </message>
    <message>
        <source>what was not seen as planned</source>
        <translation>未观测到的按规划显示</translation>
    </message>
    <message>
        <source>as a plan would have it</source>
        <translation>按规划</translation>
    </message>
    <message>
        <source>Blocks of</source>
        <translation>显示哪些块</translation>
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
        <source>The context&apos;s pool as bytes. The table beside it tells the same.</source>
        <translation>按字节显示上下文的内存池。旁边的表格内容相同。</translation>
    </message>
    <message>
        <source>No object arena was described.</source>
        <translation>没有对象内存池的描述。</translation>
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
        <source>no gap</source>
        <translation>无差距</translation>
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
        <translation>保留</translation>
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
        <translation>保留：%1</translation>
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
        <source>arena before %1</source>
        <translation>之前的内存区 %1</translation>
    </message>
    <message>
        <source>plan before</source>
        <translation>之前的方案</translation>
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
        <source>resident %1, outside of all spaces %2</source>
        <translation>常驻 %1，不属于任何空间 %2</translation>
    </message>
    <message>
        <source>resident %1, of what is reserved %2 untouched</source>
        <translation>常驻 %1，已保留但未触及 %2</translation>
    </message>
    <message>
        <source>observed</source>
        <translation>实测</translation>
    </message>
    <message>
        <source>places observed, times derived</source>
        <translation>位置为实测，时间为推导</translation>
    </message>
    <message>
        <source>Bytes of</source>
        <translation>显示哪里的字节</translation>
    </message>
    <message>
        <source>Where the run&apos;s tensors lie</source>
        <translation>本次运行的张量所在之处</translation>
    </message>
    <message>
        <source>The plan&apos;s arena</source>
        <translation>规划的内存区</translation>
    </message>
    <message>
        <source>All memory by kind</source>
        <translation>全部内存，按种类</translation>
    </message>
    <message>
        <source>All memory by allocator</source>
        <translation>全部内存，按分配器</translation>
    </message>
    <message>
        <source>All memory by use</source>
        <translation>全部内存，按用途</translation>
    </message>
    <message>
        <source>What a plan would need</source>
        <translation>规划需要多少</translation>
    </message>
    <message>
        <source>a plan would need %1</source>
        <translation>规划需要 %1</translation>
    </message>
    <message>
        <source>Nothing here tells of memory.</source>
        <translation>此处没有内存信息。</translation>
    </message>
    <message>
        <source>All memory by device</source>
        <translation>按设备的全部内存</translation>
    </message>
    <message>
        <source>no device told</source>
        <translation>未说明设备</translation>
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
        <translation>键值缓存，尚未填充</translation>
    </message>
    <message>
        <source>KV cache filled up to %1</source>
        <translation>键值缓存最多填充 %1</translation>
    </message>
    <message>
        <source>%1, %2 at the peak</source>
        <translation>%1，峰值时 %2</translation>
    </message>
</context>
<context>
    <name>arenascope::views::PlaceBoard</name>
    <message>
        <source>Arena map to place tensors in</source>
        <translation>用来安放张量的内存区地图</translation>
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
        <source>Answer</source>
        <translation>回答</translation>
    </message>
    <message>
        <source>Hint</source>
        <translation>提示</translation>
    </message>
    <message>
        <source>Show Me</source>
        <translation>给我看</translation>
    </message>
    <message>
        <source>The answer, and what really happens</source>
        <translation>答案，以及实际会发生什么</translation>
    </message>
    <message>
        <source>%1 is chosen: Enter answers with it.</source>
        <translation>已选中 %1：按回车键以它作答。</translation>
    </message>
    <message>
        <source>Put into order</source>
        <translation>排序</translation>
    </message>
    <message>
        <source>%1 fits.</source>
        <translation>%1 放得下。</translation>
    </message>
    <message>
        <source>%1. %2</source>
        <translation>%1。%2</translation>
    </message>
</context>
<context>
    <name>arenascope::views::ReplanPanel</name>
    <message>
        <source>“%1” is no size. 96 MiB is one, and 4096.</source>
        <translation>“%1”不是大小。96 MiB 是，4096 也是。</translation>
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
        <source>Search for</source>
        <translation>搜索用时</translation>
    </message>
    <message>
        <source>Let ops work in place</source>
        <translation>允许就地计算</translation>
    </message>
    <message>
        <source>A pointwise op may take over a source&apos;s bytes at their last use</source>
        <translation>逐元素运算可以在其某个来源最后一次被使用时接管它的字节</translation>
    </message>
    <message>
        <source> s</source>
        <translation> 秒</translation>
    </message>
    <message>
        <source>Seconds for planners and orders that search</source>
        <translation>供会搜索的规划器和顺序使用的秒数</translation>
    </message>
    <message>
        <source>e.g. 96 MiB</source>
        <translation>例如 96 MiB</translation>
    </message>
    <message>
        <source>A search ends as soon as its plan fits; the line in the occupancy can be dragged</source>
        <translation>方案一旦放得下，搜索就结束；占用视图中的线可以拖动</translation>
    </message>
    <message>
        <source>Plan</source>
        <translation>规划</translation>
    </message>
    <message>
        <source>The plan at hand is drawn as a ghost under the new one</source>
        <translation>当前方案以虚线画在新方案之下</translation>
    </message>
    <message>
        <source>All</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>Every planner with every order, into the table</source>
        <translation>每个规划器配每种顺序，结果放进表格</translation>
    </message>
    <message>
        <source>Good enough</source>
        <translation>足够好</translation>
    </message>
    <message>
        <source>Stop the search and take the smallest plan so far</source>
        <translation>停止搜索，采用目前最小的方案</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>导出…</translation>
    </message>
    <message>
        <source>Write the plan that is shown as JSON or CSV</source>
        <translation>把显示的方案写成 JSON 或 CSV</translation>
    </message>
    <message>
        <source>Bytes to fit under</source>
        <translation>不超过的字节数</translation>
    </message>
    <message>
        <source>Seconds to search</source>
        <translation>搜索秒数</translation>
    </message>
    <message>
        <source>Alignment</source>
        <translation>对齐</translation>
    </message>
    <message>
        <source>as it is</source>
        <translation>保持原样</translation>
    </message>
    <message>
        <source>Every tensor begins at a multiple of so many bytes; GE has 512</source>
        <translation>每个张量都从该字节数的整数倍处开始；GE 用 512</translation>
    </message>
    <message>
        <source>Streams</source>
        <translation>流</translation>
    </message>
    <message>
        <source>Queues that run at once: results share bytes only behind an event between them</source>
        <translation>同时运行的队列：只有在它们之间的事件之后，结果才能共用字节</translation>
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
        <source>Memories with their sizes, the fastest first: what is used most for its bytes lies in the first</source>
        <translation>各存储器及其大小，最快的在前：按字节计使用最多的放在第一个</translation>
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
    <name>arenascope::views::SliceWords</name>
    <message>
        <source>own place</source>
        <translation>独立位置</translation>
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
        <source>lives from step %1 until %2, for %3</source>
        <translation>从第 %1 步存活到第 %2 步，共 %3</translation>
    </message>
    <message numerus="yes">
        <source>%n step(s)</source>
        <translation>
            <numerusform>%n 步</numerusform>
        </translation>
    </message>
    <message>
        <source>block %1, %2</source>
        <translation>块 %1，%2</translation>
    </message>
    <message>
        <source>takes over the bytes of %1</source>
        <translation>就地接管 %1 的字节</translation>
    </message>
    <message>
        <source>lives since %1</source>
        <translation>存活始于 %1</translation>
    </message>
    <message>
        <source>lived %1</source>
        <translation>存活了 %1</translation>
    </message>
    <message>
        <source>planned, not seen</source>
        <translation>已规划，未出现</translation>
    </message>
    <message>
        <source>asked for %1, waste %2</source>
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
        <source>Where the run&apos;s tensors lie</source>
        <translation>本次运行的张量所在之处</translation>
    </message>
    <message>
        <source>The plan&apos;s arena</source>
        <translation>规划的内存区</translation>
    </message>
    <message>
        <source>All spaces but weights</source>
        <translation>除权重外的所有空间</translation>
    </message>
    <message>
        <source>All spaces</source>
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
    <message>
        <source>%1 cannot be written: %2.</source>
        <translation>无法写入 %1：%2。</translation>
    </message>
</context>
<context>
    <name>arenascope::views::Tables</name>
    <message>
        <source>No barrier was met: nothing ran, or with one thread only.</source>
        <translation>没有屏障：尚未运行，或只用了一个线程。</translation>
    </message>
    <message>
        <source>Node</source>
        <translation>节点</translation>
    </message>
    <message>
        <source>The node behind which the threads met</source>
        <translation>线程在其后会合的节点</translation>
    </message>
    <message>
        <source>Nodes</source>
        <translation>节点数</translation>
    </message>
    <message>
        <source>Nodes with work since the barrier before; more than one: there was no barrier between them</source>
        <translation>自上一个屏障以来有计算的节点数；多于一个表示其间没有屏障</translation>
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
        <source>When the first thread arrived, from the start of the recording</source>
        <translation>第一个线程到达的时刻，自记录开始</translation>
    </message>
    <message>
        <source>Last to arrive</source>
        <translation>最后到达</translation>
    </message>
    <message>
        <source>The thread for which the others waited</source>
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
        <source>All threads&apos; waiting together: what the imbalance cost</source>
        <translation>所有线程等待之和：负载不均的代价</translation>
    </message>
    <message>
        <source>Leaving</source>
        <translation>离开用时</translation>
    </message>
    <message>
        <source>From the last arrival to the last thread&apos;s leaving</source>
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
        <source>In use, again</source>
        <translation>再次使用中</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>地址</translation>
    </message>
    <message>
        <source>Of its first byte, as the allocator has it</source>
        <translation>首字节的地址，按分配器的记录</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Free: kept for the next request that it fits</source>
        <translation>空闲：留给下一个合适的请求</translation>
    </message>
    <message>
        <source>Taken from the system or the device</source>
        <translation>向系统或设备申请的</translation>
    </message>
    <message>
        <source>Uses</source>
        <translation>使用次数</translation>
    </message>
    <message>
        <source>How often memory in it was handed out</source>
        <translation>其中的内存被分配出去的次数</translation>
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
        <source>What the memory is used for</source>
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
        <source>Handed out now</source>
        <translation>当前已分配出去</translation>
    </message>
    <message>
        <source>Reserved</source>
        <translation>已保留</translation>
    </message>
    <message>
        <source>Taken from the system now</source>
        <translation>当前向系统申请的</translation>
    </message>
    <message>
        <source>Peak active</source>
        <translation>分配峰值</translation>
    </message>
    <message>
        <source>Peak reserved</source>
        <translation>保留峰值</translation>
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
        <source>No plan was made yet. “Memory ▸ Plan with All” tries every planner with every order.</source>
        <translation>尚无规划。“内存 ▸ 用全部规划器规划”会尝试每个规划器与每种执行顺序。</translation>
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
        <source>Bytes of the one block that holds all activations</source>
        <translation>容纳所有激活值的那一块内存的字节数</translation>
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
        <source>Against the one in use</source>
        <translation>与使用中的相比</translation>
    </message>
    <message>
        <source>Planning</source>
        <translation>规划用时</translation>
    </message>
    <message>
        <source>Time that planning took</source>
        <translation>规划所花的时间</translation>
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
        <source>%1 events were lost because a ring was full.</source>
        <translation>因环形缓冲区已满，丢失 %1 个事件。</translation>
    </message>
    <message>
        <source>In</source>
        <translation>存在于</translation>
    </message>
    <message>
        <source>A: only here, B: only in the other</source>
        <translation>A：仅此处，B：仅另一处</translation>
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
        <source>Difference of the mean times</source>
        <translation>平均时间之差</translation>
    </message>
    <message>
        <source>B : A</source>
        <translation>B : A</translation>
    </message>
    <message>
        <source>Ratio of the mean times</source>
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
        <source>No graph is open.</source>
        <translation>未打开计算图。</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>When it runs in the order</source>
        <translation>在执行顺序中的位置</translation>
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
        <translation>块</translation>
    </message>
    <message>
        <source>Tensors of one block use it one after the other</source>
        <translation>同一块的张量先后使用该块</translation>
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
        <source>Parts into which it is split</source>
        <translation>拆分成的份数</translation>
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
        <source>No memory plan is open.</source>
        <translation>没有内存规划。</translation>
    </message>
    <message>
        <source>Tensors</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>How many use it, one after the other</source>
        <translation>先后使用它的张量数</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>步</translation>
    </message>
    <message>
        <source>From its first use to behind its last</source>
        <translation>从首次使用到末次使用之后</translation>
    </message>
    <message>
        <source>Filled</source>
        <translation>填充率</translation>
    </message>
    <message>
        <source>Bytes × steps that are in use, of all that the block has</source>
        <translation>使用中的 字节×步 占该块全部的比例</translation>
    </message>
    <message>
        <source>Level</source>
        <translation>级别</translation>
    </message>
    <message>
        <source>Level of reuse that put its tensors together; 0: none</source>
        <translation>使其张量共用的复用级别；0：无</translation>
    </message>
    <message>
        <source>Used by</source>
        <translation>使用者</translation>
    </message>
    <message>
        <source>Its tensors in the order of their use</source>
        <translation>按使用先后排列的张量</translation>
    </message>
    <message>
        <source>No object arena was described.</source>
        <translation>没有对象内存池的描述。</translation>
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
        <source>The object to which its next pointer leads</source>
        <translation>next 指针指向的对象</translation>
    </message>
    <message>
        <source>Counted in the order of the plan</source>
        <translation>按规划的顺序计数</translation>
    </message>
    <message>
        <source>The node that runs in this step</source>
        <translation>在此步骤运行的节点</translation>
    </message>
    <message>
        <source>Live</source>
        <translation>存活</translation>
    </message>
    <message>
        <source>Bytes of all tensors that are still needed</source>
        <translation>仍需要的全部张量的字节数</translation>
    </message>
    <message>
        <source>How many live in this step</source>
        <translation>此步骤中存活的数量</translation>
    </message>
    <message>
        <source>Of bound</source>
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
        <source>Bytes of the arena that nobody uses in this step</source>
        <translation>此步骤中内存区内未被使用的字节</translation>
    </message>
    <message>
        <source>First step</source>
        <translation>首步</translation>
    </message>
    <message>
        <source>In which it is written</source>
        <translation>写入它的步骤</translation>
    </message>
    <message>
        <source>Behind</source>
        <translation>止于</translation>
    </message>
    <message>
        <source>The step behind its last use</source>
        <translation>最后一次使用之后的步骤</translation>
    </message>
    <message>
        <source>How many steps it lives</source>
        <translation>存活的步骤数</translation>
    </message>
    <message>
        <source>Size of its place, rounded up to the alignment</source>
        <translation>所占大小，已按对齐向上取整</translation>
    </message>
    <message>
        <source>Reuse</source>
        <translation>复用</translation>
    </message>
    <message>
        <source>How it came to its block</source>
        <translation>它如何进入所在的块</translation>
    </message>
    <message>
        <source>In place of</source>
        <translation>原地取代</translation>
    </message>
    <message>
        <source>The tensor whose bytes it takes over</source>
        <translation>被它接管字节的张量</translation>
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
        <translation>工作线程、设备队列或拷贝引擎</translation>
    </message>
    <message>
        <source>What</source>
        <translation>内容</translation>
    </message>
    <message>
        <source>The node that was worked on, a wait at the barrier, or a copy</source>
        <translation>正在计算的节点、屏障等待或拷贝</translation>
    </message>
    <message>
        <source>Begin</source>
        <translation>开始</translation>
    </message>
    <message>
        <source>Since the beginning of the recording</source>
        <translation>自录制开始</translation>
    </message>
    <message>
        <source>Took</source>
        <translation>耗时</translation>
    </message>
    <message>
        <source>From its begin to its end</source>
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
        <translation>块 B</translation>
    </message>
    <message>
        <source>The block there that holds most of the same tensors</source>
        <translation>另一处容纳最多相同张量的块</translation>
    </message>
    <message>
        <source>Waited B</source>
        <translation>等待 B</translation>
    </message>
    <message>
        <source>Difference of the waiting</source>
        <translation>等待时间之差</translation>
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
        <source>By the same planner and order there</source>
        <translation>另一处由同样的规划器和顺序得到</translation>
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
        <source>Where it is called otherwise</source>
        <translation>名称不同时显示</translation>
    </message>
    <message>
        <source>Bytes B − A</source>
        <translation>字节 B − A</translation>
    </message>
    <message>
        <source>The plan has no holes.</source>
        <translation>该方案没有空洞。</translation>
    </message>
    <message>
        <source>In nobody&apos;s use although somebody lies above</source>
        <translation>虽然上方有张量，却无人使用</translation>
    </message>
    <message>
        <source>While it is open</source>
        <translation>空洞存在期间</translation>
    </message>
    <message>
        <source>Byte steps</source>
        <translation>字节·步</translation>
    </message>
    <message>
        <source>Bytes × steps: how much room it is</source>
        <translation>字节 × 步数：浪费了多少空间</translation>
    </message>
    <message>
        <source>Above it</source>
        <translation>其上方</translation>
    </message>
    <message>
        <source>The tensor that could not sink into it</source>
        <translation>未能下沉到其中的张量</translation>
    </message>
    <message>
        <source>Because of</source>
        <translation>原因</translation>
    </message>
    <message>
        <source>What lies there at another time of that tensor&apos;s life</source>
        <translation>在该张量生命周期的其他时刻占据此处的张量</translation>
    </message>
    <message>
        <source>Nothing was tuned: only a device&apos;s kernels are, while they run.</source>
        <translation>没有调优结果：只有设备的内核在运行时才会调优。</translation>
    </message>
    <message>
        <source>way %1</source>
        <translation>方式 %1</translation>
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
        <source>The global size, or the shape, that the choice holds for</source>
        <translation>该选择所适用的全局大小或形状</translation>
    </message>
    <message>
        <source>Group size</source>
        <translation>工作组大小</translation>
    </message>
    <message>
        <source>Work items of a group; or which of several kernels was chosen</source>
        <translation>一个工作组的工作项数；或在多个内核中选中的那个</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>What the best one took; nothing where it was chosen by rule</source>
        <translation>最佳者所用的时间；按规则选定的没有</translation>
    </message>
    <message>
        <source>Tried</source>
        <translation>尝试次数</translation>
    </message>
    <message>
        <source>How many candidates were measured</source>
        <translation>测量过多少个候选</translation>
    </message>
    <message>
        <source>How hard tuning looks for the best: none, fast, normal, wide or heavy</source>
        <translation>调优寻找最佳值的力度：none、fast、normal、wide 或 heavy</translation>
    </message>
    <message>
        <source>From</source>
        <translation>来源</translation>
    </message>
    <message>
        <source>Whether this run measured it, an earlier one did, or a rule chose it</source>
        <translation>由本次运行测得、由先前的运行测得，还是按规则选定</translation>
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
        <source>There are too many tensors for this table.</source>
        <translation>张量太多，此表无法显示。</translation>
    </message>
    <message>
        <source>Byte seconds</source>
        <translation>字节·秒</translation>
    </message>
    <message>
        <source>Bytes × seconds: how much room it is</source>
        <translation>字节 × 秒：空洞有多大</translation>
    </message>
    <message>
        <source>Wall time a run, from the beginning of its first part to the end of its last; without the first run, which is cold, where there are others</source>
        <translation>每次运行的实际用时，从第一部分开始到最后一部分结束；有其他运行时不含冷启动的第一次</translation>
    </message>
    <message>
        <source>Median</source>
        <translation>中位数</translation>
    </message>
    <message>
        <source>Of its wall times, one a run</source>
        <translation>各次运行实际用时的中位数</translation>
    </message>
    <message>
        <source>Quartile 1</source>
        <translation>第一四分位数</translation>
    </message>
    <message>
        <source>A quarter of the runs took less</source>
        <translation>四分之一的运行用时更短</translation>
    </message>
    <message>
        <source>Quartile 3</source>
        <translation>第三四分位数</translation>
    </message>
    <message>
        <source>A quarter of the runs took more</source>
        <translation>四分之一的运行用时更长</translation>
    </message>
    <message>
        <source>The longest of its wall times</source>
        <translation>最长的一次实际用时</translation>
    </message>
    <message>
        <source>Busy</source>
        <translation>忙碌</translation>
    </message>
    <message>
        <source>What its parts took together, mean a run</source>
        <translation>各部分用时之和，每次运行平均</translation>
    </message>
    <message>
        <source>First run</source>
        <translation>第一次运行</translation>
    </message>
    <message>
        <source>Wall time in the first run of this plan, when caches were cold</source>
        <translation>此计划第一次运行的实际用时，当时缓存是冷的</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>运行次数</translation>
    </message>
    <message>
        <source>How many runs the times are of</source>
        <translation>这些时间来自多少次运行</translation>
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
        <source>What all threads waited together at the barriers behind it, mean a run</source>
        <translation>所有线程在其后屏障处等待之和，每次运行平均</translation>
    </message>
    <message>
        <source>●: the plan of the run at hand; ○: the one that is shown in its place</source>
        <translation>●：当前运行所用的规划；○：代替它显示的规划</translation>
    </message>
    <message>
        <source>Whose space it lies in</source>
        <translation>它所在空间的所有者</translation>
    </message>
    <message>
        <source>First byte</source>
        <translation>首字节</translation>
    </message>
    <message>
        <source>Of the largest that lay there</source>
        <translation>曾位于该处的最大者</translation>
    </message>
    <message>
        <source>Blocks</source>
        <translation>内存块</translation>
    </message>
    <message>
        <source>How many lay there, one after the other</source>
        <translation>先后有多少块位于该处</translation>
    </message>
    <message>
        <source>Share of the time in which one of them was there</source>
        <translation>其中之一位于该处的时间比例</translation>
    </message>
    <message>
        <source>What lay there, in the order of time</source>
        <translation>按时间顺序曾位于该处的内容</translation>
    </message>
    <message>
        <source>What the spaces held was in use all the time.</source>
        <translation>空间持有的内存一直在使用。</translation>
    </message>
    <message>
        <source>end of the space</source>
        <translation>空间末尾</translation>
    </message>
    <message>
        <source>Of a space, in nobody&apos;s use</source>
        <translation>空间中无人使用的字节</translation>
    </message>
    <message>
        <source>Space</source>
        <translation>空间</translation>
    </message>
    <message>
        <source>Bytes of the space that it lies in</source>
        <translation>它所在空间的字节数</translation>
    </message>
    <message>
        <source>Below it</source>
        <translation>其下</translation>
    </message>
    <message>
        <source>What lay there when it came to be</source>
        <translation>它出现时位于该处的内容</translation>
    </message>
    <message>
        <source>What it was asked for as</source>
        <translation>请求时的种类</translation>
    </message>
    <message>
        <source>Of the block that was handed out</source>
        <translation>所分配的块的字节数</translation>
    </message>
    <message>
        <source>Waste</source>
        <translation>浪费</translation>
    </message>
    <message>
        <source>Bytes of the block that nobody asked for</source>
        <translation>块中没有被请求的字节</translation>
    </message>
    <message>
        <source>Lived</source>
        <translation>存活</translation>
    </message>
    <message>
        <source>From being handed out to being given back</source>
        <translation>从分配到归还</translation>
    </message>
    <message>
        <source>%1, still there</source>
        <translation>%1，仍在</translation>
    </message>
    <message>
        <source>There are too many moments for this table.</source>
        <translation>时刻过多，无法列表。</translation>
    </message>
    <message>
        <source>Bytes that are handed out, weights apart</source>
        <translation>已分配的字节，不含权重</translation>
    </message>
    <message>
        <source>Bytes of the spaces</source>
        <translation>空间的字节数</translation>
    </message>
    <message>
        <source>Bytes of the spaces that nobody uses</source>
        <translation>空间中无人使用的字节</translation>
    </message>
    <message>
        <source>How many are handed out</source>
        <translation>已分配的块数</translation>
    </message>
    <message>
        <source>Budget</source>
        <translation>预算</translation>
    </message>
    <message>
        <source>Time that the planner might have searched; none for one that does not search</source>
        <translation>规划器可用的搜索时间；不搜索的规划器没有</translation>
    </message>
    <message>
        <source>stands by itself at %1</source>
        <translation>独立放在 %1</translation>
    </message>
    <message>
        <source>is laid into block %1 at %2</source>
        <translation>放入块 %1 的 %2 处</translation>
    </message>
    <message>
        <source>lives together with block %1: waits</source>
        <translation>与块 %1 同时存活：等待</translation>
    </message>
    <message>
        <source>block %1 has no stretch left for it: waits</source>
        <translation>块 %1 没有足够的空段：等待</translation>
    </message>
    <message>
        <source>The plan has no tensors to lay out.</source>
        <translation>规划中没有要排布的张量。</translation>
    </message>
    <message>
        <source>↓ plays it through</source>
        <translation>按 ↓ 逐步播放</translation>
    </message>
    <message>
        <source>1: tensors of one size become a block; 2: blocks are laid into larger ones</source>
        <translation>1：大小相同的张量组成一块；2：块放入更大的块</translation>
    </message>
    <message>
        <source>Its place in the list that is sorted from large to small</source>
        <translation>它在从大到小的列表中的位置</translation>
    </message>
    <message>
        <source>What happens</source>
        <translation>发生什么</translation>
    </message>
    <message numerus="yes">
        <source>%n tensors of one size, one after the other</source>
        <translation>
            <numerusform>%n 个大小相同的张量，先后使用</numerusform>
        </translation>
    </message>
    <message>
        <source>one tensor</source>
        <translation>一个张量</translation>
    </message>
    <message>
        <source>Lives</source>
        <translation>存活</translation>
    </message>
    <message>
        <source>Steps, from its first tensor to its last</source>
        <translation>步，从第一个张量到最后一个</translation>
    </message>
    <message>
        <source>Left</source>
        <translation>剩余</translation>
    </message>
    <message>
        <source>Level 1: blocks so far; level 2: blocks that lie nowhere yet</source>
        <translation>第 1 级：尚未并成块的张量与已有的块；第 2 级：还没有位置的块</translation>
    </message>
    <message>
        <source>Of all that stands by then</source>
        <translation>到此为止已放置的全部</translation>
    </message>
    <message>
        <source>GE&apos;s rules find nothing to move.</source>
        <translation>GE 的规则找不到可移动的节点。</translation>
    </message>
    <message>
        <source>The usual order that it begins with</source>
        <translation>作为起点的常规顺序</translation>
    </message>
    <message>
        <source>Rule</source>
        <translation>规则</translation>
    </message>
    <message>
        <source>Type: it reads only what is given. Lifetime: an input lives on anyway</source>
        <translation>类型：只读取给定的张量。生命周期：某个输入反正继续存活</translation>
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
        <source>Its first reader</source>
        <translation>它的第一个读取者</translation>
    </message>
    <message>
        <source>Its place among the ops</source>
        <translation>它在算子中的位置</translation>
    </message>
    <message>
        <source>To</source>
        <translation>到</translation>
    </message>
    <message>
        <source>Of its result, not live any more between the two</source>
        <translation>其结果的字节，在两处之间不再存活</translation>
    </message>
    <message>
        <source>Peak before</source>
        <translation>之前的峰值</translation>
    </message>
    <message>
        <source>Peak behind</source>
        <translation>之后的峰值</translation>
    </message>
    <message>
        <source>Taken</source>
        <translation>采用</translation>
    </message>
    <message>
        <source>The moves of an order are taken where they lower its peak</source>
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
        <source>Kept</source>
        <translation>保留</translation>
    </message>
    <message>
        <source>Reserved and not handed out: cached for the next request, or waste inside of blocks</source>
        <translation>已保留但未分出：为下一个请求缓存，或块内的浪费</translation>
    </message>
    <message>
        <source>Taken anew</source>
        <translation>重新获取</translation>
    </message>
    <message>
        <source>How often memory was taken from the system or given back: where a cache misses</source>
        <translation>从系统获取或归还内存的次数：缓存未命中之处</translation>
    </message>
    <message>
        <source>Nothing was counted over time.</source>
        <translation>没有随时间统计的内容。</translation>
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
        <source>Least</source>
        <translation>最小</translation>
    </message>
    <message>
        <source>Most</source>
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
        <source>Requests served from what was reserved already</source>
        <translation>由已保留的内存满足的请求</translation>
    </message>
    <message>
        <source>Misses</source>
        <translation>未命中</translation>
    </message>
    <message>
        <source>Requests for which more had to be reserved</source>
        <translation>需要另外保留内存的请求</translation>
    </message>
    <message>
        <source>Cached</source>
        <translation>缓存</translation>
    </message>
    <message>
        <source>Reserved, and free to be handed out again</source>
        <translation>已保留，可再次分配</translation>
    </message>
    <message>
        <source>Held back by rounding, and by frees that wait for a stream</source>
        <translation>因取整以及等待流的释放而占住的部分</translation>
    </message>
    <message>
        <source>Fragmentation</source>
        <translation>碎片率</translation>
    </message>
    <message>
        <source>The share of what is free that one request could not get as a whole</source>
        <translation>空闲部分中无法作为整块满足一次请求的比例</translation>
    </message>
    <message>
        <source>Deferred, stream %1</source>
        <translation>推迟，流 %1</translation>
    </message>
    <message>
        <source>Given back, and kept until work on the stream that uses it is through</source>
        <translation>已归还，但要等该流上使用它的工作完成</translation>
    </message>
    <message>
        <source>Requested</source>
        <translation>请求</translation>
    </message>
    <message>
        <source>By what holds it, or where it is free by what held it last</source>
        <translation>占用者所请求的；空闲时为上一个占用者所请求的</translation>
    </message>
    <message>
        <source>Of the block, beside what was requested</source>
        <translation>块中请求以外的部分</translation>
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
        <source>For</source>
        <translation>用途类型</translation>
    </message>
    <message>
        <source>Dynamic: whatever comes and goes; static: what stays, weights; separate: one tensor alone</source>
        <translation>动态：随时分配和归还；静态：长期保留，如权重；独立：只供一个张量</translation>
    </message>
    <message>
        <source>Tensor</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>What lies there now, as far as it is told</source>
        <translation>目前位于其中的内容（若有记录）</translation>
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
        <source>What was tried, with what it took, the fastest first; that which could not run as –</source>
        <translation>试过的选择及其用时，最快者在前；无法运行的记为 –</translation>
    </message>
    <message>
        <source>what was found for %1</source>
        <translation>取自 %1 的结果</translation>
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
        <source>%1 of it used</source>
        <translation>其中已用 %1</translation>
    </message>
    <message>
        <source>+%1 %2: %3</source>
        <translation>+%1 %2：%3</translation>
    </message>
    <message>
        <source>Bytes of the object that are this</source>
        <translation>对象中属于此项的字节</translation>
    </message>
    <message>
        <source>How many nodes of the graph</source>
        <translation>图中的节点数</translation>
    </message>
    <message>
        <source>Sum of its nodes' mean times a run</source>
        <translation>其各节点每次运行平均时间之和</translation>
    </message>
    <message>
        <source>Share</source>
        <translation>占比</translation>
    </message>
    <message>
        <source>Of the time of all nodes</source>
        <translation>占所有节点时间的比例</translation>
    </message>
    <message>
        <source>Size of its results together</source>
        <translation>其结果的总大小</translation>
    </message>
    <message>
        <source>Slowest</source>
        <translation>最慢</translation>
    </message>
    <message>
        <source>The node that takes longest</source>
        <translation>耗时最长的节点</translation>
    </message>
    <message>
        <source>Kernels</source>
        <translation>内核</translation>
    </message>
    <message>
        <source>Of the device, in this run</source>
        <translation>设备在本次运行中执行的</translation>
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
        <translation>拷贝</translation>
    </message>
    <message>
        <source>came last</source>
        <translation>最后到达</translation>
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
        <translation>%2 内 %1 段</translation>
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
        <translation>为 %1 拷贝</translation>
    </message>
    <message>
        <source>%1 per second</source>
        <translation>每秒 %1</translation>
    </message>
    <message>
        <source>chunk %1</source>
        <translation>分片 %1</translation>
    </message>
    <message>
        <source>one of %1 nodes in a row without a barrier</source>
        <translation>连续 %1 个没有屏障的节点之一</translation>
    </message>
    <message>
        <source>%1, from %2</source>
        <translation>%1，自 %2</translation>
    </message>
    <message>
        <source>%1 came last; the others waited %2 together</source>
        <translation>%1 最后到达；其他线程共等待 %2</translation>
    </message>
    <message>
        <source>no barrier before that: %1 nodes in a row</source>
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
        <source>paused for %1, which is no part of it</source>
        <translation>暂停 %1，不计入其中</translation>
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
        <source>Nothing was run here: there is no time to show.</source>
        <translation>此处没有运行过：没有时间可显示。</translation>
    </message>
    <message>
        <source>Nothing here tells what ran when: it is a trace of memory.</source>
        <translation>此处没有何时运行了什么的记录：这是内存跟踪。</translation>
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
</context>
<context>
    <name>arenascope::views::Words</name>
    <message>
        <source>%1 (%2 bytes)</source>
        <translation>%1（%2 字节）</translation>
    </message>
    <message>
        <source>scalar</source>
        <translation>标量</translation>
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
        <translation>映射的权重</translation>
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
        <translation>拷贝引擎</translation>
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
        <translation>叶 %1</translation>
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
        <source>What allocators hold, block by block. The table beside it tells the same.</source>
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
handed out %6 times</source>
        <translation>%1，%2
块 %3，请求 %4，浪费 %5
分配 %6 次</translation>
    </message>
</context>
<context>
    <name>arenascope::app::Saver</name>
    <message>
        <source>%1 is still being written.</source>
        <translation>%1 仍在写入。</translation>
    </message>
    <message>
        <source>%1 was not written: it was cancelled.</source>
        <translation>%1 未写入：已取消。</translation>
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
        <source>its own (%1)</source>
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
        <translation>观测</translation>
    </message>
    <message>
        <source>simulated: does not fit, %1 of what was there before</source>
        <translation>模拟：放不下，此前已有的 %1</translation>
    </message>
    <message>
        <source>simulated: does not fit, %1 at request %2, %3 in use</source>
        <translation>模拟：放不下，第 %2 个请求的 %1，已用 %3</translation>
    </message>
    <message>
        <source>derived: %1 of %2 where they were recorded</source>
        <translation>推导：%2 个中有 %1 个在记录的位置</translation>
    </message>
    <message>
        <source>simulated, unused memory given back: %1×</source>
        <translation>模拟，归还未用内存：%1 次</translation>
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
        <source>From</source>
        <translation>起点</translation>
    </message>
    <message>
        <source>Reserved</source>
        <translation>保留</translation>
    </message>
    <message>
        <source>In use</source>
        <translation>在用</translation>
    </message>
    <message>
        <source>Whole segments</source>
        <translation>整段</translation>
    </message>
    <message>
        <source>Split off</source>
        <translation>切余</translation>
    </message>
    <message>
        <source>Other streams</source>
        <translation>其他流</translation>
    </message>
    <message>
        <source>Outcome</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>“%1” is no size: 8 GiB is one.</source>
        <translation>“%1”不是大小：8 GiB 才是。</translation>
    </message>
    <message>
        <source>Open a PyTorch memory snapshot to replay its allocator&apos;s requests under other settings.</source>
        <translation>打开一个 PyTorch 内存快照，即可用其他设置重放其分配器的请求。</translation>
    </message>
    <message>
        <source>The requests are replayed…</source>
        <translation>正在重放请求…</translation>
    </message>
    <message>
        <source>Settings as in PYTORCH_CUDA_ALLOC_CONF; several stand apart by semicolons.</source>
        <translation>设置写法同 PYTORCH_CUDA_ALLOC_CONF；多组以分号隔开。</translation>
    </message>
    <message>
        <source>At the highest point of what is reserved: in use, segments that nothing lies in, pieces beside blocks in use, and what belongs to other streams.</source>
        <translation>在保留量的最高点：在用、空段、在用块旁的碎片，以及属于其他流的部分。</translation>
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
        <source>What the device has; left empty, as much as is asked for</source>
        <translation>设备的内存；留空则要多少有多少</translation>
    </message>
    <message>
        <source>&amp;Replay</source>
        <translation>重放(&amp;R)</translation>
    </message>
    <message>
        <source>What would have been reserved</source>
        <translation>本会保留多少</translation>
    </message>
</context>
</TS>
