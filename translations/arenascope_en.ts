<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
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
    <name>arenascope::views::ArenaView</name>
    <message numerus="yes">
        <source>%n tensor(s) off the plan</source>
        <translation>
            <numerusform>%n tensor off the plan</numerusform>
            <numerusform>%n tensors off the plan</numerusform>
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
</context>
<context>
    <name>arenascope::views::Inspector</name>
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
</TS>
