package io.policyscheduler.cmd.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.report.Output.OutputFormat;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class OutputTest {
    private static String write(OutputFormat format) {
        ObjectNode data = JsonNodeFactory.instance.objectNode();
        data.put("text", "a: b").put("number", 7).put("digits", "7").put("yes", "true");
        data.putNull("nothing");
        data.putArray("list").add("x").addObject().put("k", 1);
        data.putObject("empty");
        StringWriter text = new StringWriter();
        PrintWriter out = new PrintWriter(text);
        new Output(out, format).write(() -> out.println("table"), () -> data);
        return text.toString();
    }

    @Test
    void table() {
        assertEquals("table\n", write(OutputFormat.TABLE));
    }

    @Test
    void json() {
        assertEquals("""
                {
                  "text": "a: b",
                  "number": 7,
                  "digits": "7",
                  "yes": "true",
                  "nothing": null,
                  "list": [
                    "x",
                    {
                      "k": 1
                    }
                  ],
                  "empty": {}
                }
                """, write(OutputFormat.JSON));
    }

    @Test
    void yaml() {
        assertEquals("""
                text: "a: b"
                number: 7
                digits: "7"
                "yes": "true"
                nothing: null
                list:
                  - x
                  - k: 1
                empty: {}
                """, write(OutputFormat.YAML));
    }
}
