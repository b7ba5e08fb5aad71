<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>arenascope::app::InputSizes</name>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>and %n more</numerusform>
            <numerusform>and %n more</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>arenascope::app::JobBar</name>
    <message numerus="yes">
        <source>%n task(s)</source>
        <translation>
            <numerusform>%n task</numerusform>
            <numerusform>%n tasks</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>arenascope::app::MainWindow</name>
    <message numerus="yes">
        <source>Arenascope did not shut down properly. Recover %n recording(s) with File ▸ Recover a Recording.</source>
        <translation>
            <numerusform>Arenascope did not shut down properly. Recover %n recording with File ▸ Recover a Recording.</numerusform>
            <numerusform>Arenascope did not shut down properly. Recover %n recordings with File ▸ Recover a Recording.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Unsaved recordings are under File ▸ Recover a Recording: %n file(s).</source>
        <translation>
            <numerusform>Unsaved recordings are under File ▸ Recover a Recording: %n file.</numerusform>
            <numerusform>Unsaved recordings are under File ▸ Recover a Recording: %n files.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>arenascope::app::Replanning</name>
    <message numerus="yes">
        <source>%n plan(s); smallest: %1 by %2, %3.</source>
        <translation>
            <numerusform>%n plan: %1 by %2, %3.</numerusform>
            <numerusform>%n plans; smallest: %1 by %2, %3.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>arenascope::app::Shell</name>
    <message numerus="yes">
        <source>%n older message(s) dropped</source>
        <translation>
            <numerusform>%n older message dropped</numerusform>
            <numerusform>%n older messages dropped</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>arenascope::app::StatusWidget</name>
    <message numerus="yes">
        <source>%n unread message(s): open the message log</source>
        <translation>
            <numerusform>%n unread message: open the message log</numerusform>
            <numerusform>%n unread messages: open the message log</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n device(s)</source>
        <translation>
            <numerusform>%n device</numerusform>
            <numerusform>%n devices</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>arenascope::views::ArenaColourNames</name>
    <message numerus="yes">
        <source>%n step(s)</source>
        <translation>
            <numerusform>%n step</numerusform>
            <numerusform>%n steps</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n other(s)</source>
        <translation>
            <numerusform>%n other</numerusform>
            <numerusform>%n others</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>arenascope::views::ArenaView</name>
    <message numerus="yes">
        <source>%n deferred operator(s)</source>
        <translation>
            <numerusform>%n deferred operator</numerusform>
            <numerusform>%n deferred operators</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n tensor(s) outside the plan</source>
        <translation>
            <numerusform>%n tensor outside the plan</numerusform>
            <numerusform>%n tensors outside the plan</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n tensor(s)</source>
        <translation>
            <numerusform>%n tensor</numerusform>
            <numerusform>%n tensors</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n block(s)</source>
        <translation>
            <numerusform>%n block</numerusform>
            <numerusform>%n blocks</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Findings</name>
    <message numerus="yes">
        <source> and %n more</source>
        <translation>
            <numerusform> and %n more</numerusform>
            <numerusform> and %n more</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>At the peak, step %1, %2 are live in %n tensor(s): %3.</source>
        <translation>
            <numerusform>At the peak, step %1, %2 are live in %n tensor: %3.</numerusform>
            <numerusform>At the peak, step %1, %2 are live in %n tensors: %3.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Running %n eligible op(s) in place would reduce the arena by %1.</source>
        <translation>
            <numerusform>Running %n eligible op in place would reduce the arena by %1.</numerusform>
            <numerusform>Running %n eligible ops in place would reduce the arena by %1.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n tensor(s) are idle around the peak: rematerialising them afterwards reduces the arena by %1 (%2).</source>
        <translation>
            <numerusform>%n tensor is idle around the peak: rematerialising it afterwards reduces the arena by %1 (%2).</numerusform>
            <numerusform>%n tensors are idle around the peak: rematerialising them afterwards reduces the arena by %1 (%2).</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n tensor(s) are idle around the peak: offloading them to the host and reloading them, %1 in total, reduces the arena by %2 (%3).</source>
        <translation>
            <numerusform>%n tensor is idle around the peak: offloading it to the host and reloading it, %1 in total, reduces the arena by %2 (%3).</numerusform>
            <numerusform>%n tensors are idle around the peak: offloading them to the host and reloading them, %1 in total, reduces the arena by %2 (%3).</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>At the peak, %1 of the arena (%2) is in %n hole(s); above them: %3.</source>
        <translation>
            <numerusform>At the peak, %1 of the arena (%2) is in %n hole; above them: %3.</numerusform>
            <numerusform>At the peak, %1 of the arena (%2) is in %n holes; above them: %3.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>At the barrier after %1, threads idle %2 of their time, %3 per run in total; the node is split into %n chunk(s).</source>
        <translation>
            <numerusform>At the barrier after %1, threads idle %2 of their time, %3 per run in total; the node is split into %n chunk.</numerusform>
            <numerusform>At the barrier after %1, threads idle %2 of their time, %3 per run in total; the node is split into %n chunks.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 is copied between devices %n time(s) per run; copying it once would save %2.</source>
        <translation>
            <numerusform>%1 is copied between devices %n time per run; copying it once would save %2.</numerusform>
            <numerusform>%1 is copied between devices %n times per run; copying it once would save %2.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>At the peak, after %1, %2 are allocated in %n block(s): %3.</source>
        <translation>
            <numerusform>At the peak, after %1, %2 are allocated in %n block: %3.</numerusform>
            <numerusform>At the peak, after %1, %2 are allocated in %n blocks: %3.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>At the peak, %1 of the allocated memory (%2) is rounding overhead in %n block(s): %3.</source>
        <translation>
            <numerusform>At the peak, %1 of the allocated memory (%2) is rounding overhead in %n block: %3.</numerusform>
            <numerusform>At the peak, %1 of the allocated memory (%2) is rounding overhead in %n blocks: %3.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>arenascope::views::FindingsView</name>
    <message numerus="yes">
        <source>%n finding(s)</source>
        <translation>
            <numerusform>%n finding</numerusform>
            <numerusform>%n findings</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>arenascope::views::FlameCanvas</name>
    <message numerus="yes">
        <source>%n narrow frame(s)</source>
        <translation>
            <numerusform>%n narrow frame</numerusform>
            <numerusform>%n narrow frames</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>arenascope::views::FlameText</name>
    <message numerus="yes">
        <source>%n allocation(s)</source>
        <translation>
            <numerusform>%n allocation</numerusform>
            <numerusform>%n allocations</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n span(s)</source>
        <translation>
            <numerusform>%n span</numerusform>
            <numerusform>%n spans</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n node(s)</source>
        <translation>
            <numerusform>%n node</numerusform>
            <numerusform>%n nodes</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>arenascope::views::FlameView</name>
    <message numerus="yes">
        <source>%n frame(s), %1</source>
        <translation>
            <numerusform>%n frame, %1</numerusform>
            <numerusform>%n frames, %1</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>arenascope::views::GraphCanvas</name>
    <message numerus="yes">
        <source>%n node(s)</source>
        <translation>
            <numerusform>%n node</numerusform>
            <numerusform>%n nodes</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>arenascope::views::GraphView</name>
    <message numerus="yes">
        <source>%n other(s)</source>
        <translation>
            <numerusform>%n other</numerusform>
            <numerusform>%n others</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n node(s)</source>
        <translation>
            <numerusform>%n node</numerusform>
            <numerusform>%n nodes</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n node(s) only in B</source>
        <translation>
            <numerusform>%n node only in B</numerusform>
            <numerusform>%n nodes only in B</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>arenascope::views::Inspector</name>
    <message numerus="yes">
        <source>%n other(s)</source>
        <translation>
            <numerusform>%n other</numerusform>
            <numerusform>%n others</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 of %n tensor(s)</source>
        <translation>
            <numerusform>%1 of %n tensor</numerusform>
            <numerusform>%1 of %n tensors</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>layer of %n node(s)</source>
        <translation>
            <numerusform>layer of %n node</numerusform>
            <numerusform>layer of %n nodes</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>and %n more</numerusform>
            <numerusform>and %n more</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n tensor(s) in sequence</source>
        <translation>
            <numerusform>%n tensor in sequence</numerusform>
            <numerusform>%n tensors in sequence</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n step(s)</source>
        <translation>
            <numerusform>%n step</numerusform>
            <numerusform>%n steps</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n allocation(s) from here</source>
        <translation>
            <numerusform>%n allocation from here</numerusform>
            <numerusform>%n allocations from here</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Times of %1, %n node(s)</source>
        <translation>
            <numerusform>Times of %1, %n node</numerusform>
            <numerusform>Times of %1, %n nodes</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>as %n input(s)</source>
        <translation>
            <numerusform>as %n input</numerusform>
            <numerusform>as %n inputs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n time(s) in the run</source>
        <translation>
            <numerusform>%n time in the run</numerusform>
            <numerusform>%n times in the run</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>arenascope::views::LifetimesView</name>
    <message numerus="yes">
        <source>%n tensor(s), in use during %1 of the steps</source>
        <translation>
            <numerusform>%n tensor, in use during %1 of the steps</numerusform>
            <numerusform>%n tensors, in use during %1 of the steps</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n tensor(s)</source>
        <translation>
            <numerusform>%n tensor</numerusform>
            <numerusform>%n tensors</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n block(s)</source>
        <translation>
            <numerusform>%n block</numerusform>
            <numerusform>%n blocks</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>arenascope::views::SliceText</name>
    <message numerus="yes">
        <source>%n step(s)</source>
        <translation>
            <numerusform>%n step</numerusform>
            <numerusform>%n steps</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>arenascope::views::TablePanel</name>
    <message numerus="yes">
        <source>%n row(s)</source>
        <translation>
            <numerusform>%n row</numerusform>
            <numerusform>%n rows</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 of %n row(s)</source>
        <translation>
            <numerusform>%1 of %n row</numerusform>
            <numerusform>%1 of %n rows</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>arenascope::views::Tables</name>
    <message numerus="yes">
        <source>%n tensor(s) of equal size, in sequence</source>
        <translation>
            <numerusform>%n tensor of equal size, in sequence</numerusform>
            <numerusform>%n tensors of equal size, in sequence</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>arenascope::app::QueryPanel</name>
    <message numerus="yes">
        <source>%n row(s) in %1</source>
        <translation>
            <numerusform>%n row in %1</numerusform>
            <numerusform>%n rows in %1</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>arenascope::app::QueryChart</name>
    <message numerus="yes">
        <source>%n more row(s)</source>
        <translation>
            <numerusform>%n more row</numerusform>
            <numerusform>%n more rows</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>arenascope::views::DurationsText</name>
    <message numerus="yes">
        <source>%n run(s)</source>
        <translation>
            <numerusform>%n run</numerusform>
            <numerusform>%n runs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n span(s)</source>
        <translation>
            <numerusform>%n span</numerusform>
            <numerusform>%n spans</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>arenascope::views::RooflineText</name>
    <message numerus="yes">
        <source>times observed, median of %n run(s)</source>
        <translation>
            <numerusform>times observed in %n run</numerusform>
            <numerusform>times observed, median of %n runs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>peaks %1 GFLOP/s and %2 GB/s, float32, %n thread(s)</source>
        <translation>
            <numerusform>peaks %1 GFLOP/s and %2 GB/s, float32, %n thread</numerusform>
            <numerusform>peaks %1 GFLOP/s and %2 GB/s, float32, %n threads</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n node(s) ran on a device, which these roofs do not describe</source>
        <translation>
            <numerusform>%n node ran on a device, which these roofs do not describe</numerusform>
            <numerusform>%n nodes ran on a device, which these roofs do not describe</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>median %1 of %n run(s)</source>
        <translation>
            <numerusform>%1 in %n run</numerusform>
            <numerusform>median %1 of %n runs</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>arenascope::views::TimelineColourNames</name>
    <message numerus="yes">
        <source>%n name(s)</source>
        <translation>
            <numerusform>%n name</numerusform>
            <numerusform>%n names</numerusform>
        </translation>
    </message>
</context>
</TS>
