package io.policyscheduler.cmd.rule;

import io.policyscheduler.cmd.rule.report.CoverageReport;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;
import org.jspecify.annotations.Nullable;

/** Writes what became of cases as JUnit's XML, which CI systems show: a suite for each file. */
final class JUnitReport {
    private final XMLStreamWriter xml;

    private JUnitReport(XMLStreamWriter xml) {
        this.xml = xml;
    }

    /**
     * Writes a report.
     *
     * @throws IOException when the file cannot be written
     */
    static void write(Path file, CaseReport report) throws IOException {
        try (OutputStream out = Files.newOutputStream(file)) {
            XMLStreamWriter xml =
                    XMLOutputFactory.newDefaultFactory().createXMLStreamWriter(out, StandardCharsets.UTF_8.name());
            new JUnitReport(xml).document(report);
            xml.close();
        } catch (XMLStreamException e) {
            throw new IOException(e);
        }
    }

    private void document(CaseReport report) throws XMLStreamException {
        xml.writeStartDocument(StandardCharsets.UTF_8.name(), "1.0");
        start("testsuites", "rule test", report.cases(), report.failed());
        for (CaseReport.OfFile file : report.files()) {
            start("testsuite", file.file(), file.results().size(), file.failed());
            for (CaseResult result : file.results()) {
                testCase(file.file(), result);
            }
            xml.writeEndElement();
        }
        coverage(report.coverage());
        xml.writeEndElement();
        xml.writeEndDocument();
    }

    private void start(String element, String name, long cases, long failed) throws XMLStreamException {
        xml.writeStartElement(element);
        attribute("name", name);
        attribute("tests", String.valueOf(cases));
        attribute("failures", String.valueOf(failed));
        attribute("errors", "0");
    }

    /** A suite without cases, whose properties are the shares and whose output are the branches that no case takes. */
    private void coverage(@Nullable CoverageReport coverage) throws XMLStreamException {
        if (coverage == null) {
            return;
        }
        start("testsuite", "coverage", 0, 0);
        xml.writeStartElement("properties");
        property("branches", coverage.branches());
        property("taken", coverage.taken());
        xml.writeEndElement();
        xml.writeStartElement("system-out");
        xml.writeCharacters(printable(String.join("\n", coverage.open())));
        xml.writeEndElement();
        xml.writeEndElement();
    }

    private void property(String name, long value) throws XMLStreamException {
        xml.writeStartElement("property");
        attribute("name", name);
        attribute("value", String.valueOf(value));
        xml.writeEndElement();
    }

    private void testCase(String file, CaseResult result) throws XMLStreamException {
        xml.writeStartElement("testcase");
        attribute("name", result.of().name());
        attribute("classname", result.of().rule().definition().name());
        attribute("file", file);
        attribute("line", String.valueOf(result.of().position().line()));
        if (!result.passed()) {
            xml.writeStartElement("failure");
            attribute("message", result.text());
            xml.writeEndElement();
        }
        xml.writeEndElement();
    }

    private void attribute(String name, String value) throws XMLStreamException {
        xml.writeAttribute(name, printable(value).replace('\n', '?'));
    }

    /** XML cannot hold most control characters, not even escaped. */
    private static String printable(String text) {
        return text.replaceAll("[^\\n\\x20-\\uD7FF\\uE000-\\uFFFD\\x{10000}-\\x{10FFFF}]", "?");
    }
}
