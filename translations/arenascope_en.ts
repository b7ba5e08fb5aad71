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
    <name>arenascope::app::MainWindow</name>
    <message numerus="yes">
        <source>Arenascope ended while it recorded. What it had is under File ▸ Recover a Recording: %n file(s).</source>
        <translation>
            <numerusform>Arenascope ended while it recorded. What it had is under File ▸ Recover a Recording: %n file.</numerusform>
            <numerusform>Arenascope ended while it recorded. What it had is under File ▸ Recover a Recording: %n files.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>arenascope::app::Replanning</name>
    <message numerus="yes">
        <source>%n plan(s); the smallest: %1 by %2, %3.</source>
        <translation>
            <numerusform>%n plan: %1 by %2, %3.</numerusform>
            <numerusform>%n plans; the smallest: %1 by %2, %3.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>arenascope::views::ArenaColourWords</name>
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
        <source>%n operator(s) planned behind it</source>
        <translation>
            <numerusform>%n operator planned behind it</numerusform>
            <numerusform>%n operators planned behind it</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n tensor(s) off the plan</source>
        <translation>
            <numerusform>%n tensor off the plan</numerusform>
            <numerusform>%n tensors off the plan</numerusform>
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
    <name>arenascope::views::Findings</name>
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
        <source>If ops worked in place where they may, %n of them, the arena would be %1 smaller.</source>
        <translation>
            <numerusform>If the one op that may work in place did, the arena would be %1 smaller.</numerusform>
            <numerusform>If ops worked in place where they may, %n of them, the arena would be %1 smaller.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n tensors lie unused around the peak: rematerialising them behind it lowers the arena by %1 (%2).</source>
        <translation>
            <numerusform>%n tensors lie unused around the peak: rematerialising them behind it lowers the arena by %1 (%2).</numerusform>
            <numerusform>%n tensors lie unused around the peak: rematerialising them behind it lowers the arena by %1 (%2).</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n tensors lie unused around the peak: offloading them to the host and back, %1 in all, lowers the arena by %2 (%3).</source>
        <translation>
            <numerusform>%n tensors lie unused around the peak: offloading them to the host and back, %1 in all, lowers the arena by %2 (%3).</numerusform>
            <numerusform>%n tensors lie unused around the peak: offloading them to the host and back, %1 in all, lowers the arena by %2 (%3).</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>At the peak %1 of the arena, %2, lie in %n hole(s); above them: %3.</source>
        <translation>
            <numerusform>At the peak %1 of the arena, %2, lie in %n hole; above it: %3.</numerusform>
            <numerusform>At the peak %1 of the arena, %2, lie in %n holes; above them: %3.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Behind %1 the threads wait %2 of their time, %3 a run together; it is split into %n part(s).</source>
        <translation>
            <numerusform>Behind %1 the threads wait %2 of their time, %3 a run together; it is not split.</numerusform>
            <numerusform>Behind %1 the threads wait %2 of their time, %3 a run together; it is split into %n parts.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 is copied between devices %n times a run; once would save %2.</source>
        <translation>
            <numerusform>%1 is copied between devices %n time a run; once would save %2.</numerusform>
            <numerusform>%1 is copied between devices %n times a run; once would save %2.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>At the peak, after %1, %2 are handed out in %n block(s): %3.</source>
        <translation>
            <numerusform>At the peak, after %1, %2 are handed out in %n block: %3.</numerusform>
            <numerusform>At the peak, after %1, %2 are handed out in %n blocks: %3.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>At the peak, %1 of what is handed out, %2, were not asked for but lie in %n block(s): %3.</source>
        <translation>
            <numerusform>At the peak, %1 of what is handed out, %2, were not asked for but lie in %n block: %3.</numerusform>
            <numerusform>At the peak, %1 of what is handed out, %2, were not asked for but lie in %n blocks: %3.</numerusform>
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
        <source>%n tensor(s), one after the other</source>
        <translation>
            <numerusform>%n tensor, one after the other</numerusform>
            <numerusform>%n tensors, one after the other</numerusform>
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
        <source>%n source(s)</source>
        <translation>
            <numerusform>as %n source</numerusform>
            <numerusform>as %n sources</numerusform>
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
    <name>arenascope::views::SliceWords</name>
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
        <source>%n tensors of one size, one after the other</source>
        <translation>
            <numerusform>%n tensor</numerusform>
            <numerusform>%n tensors of one size, one after the other</numerusform>
        </translation>
    </message>
</context>
</TS>
