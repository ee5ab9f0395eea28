package io.policyscheduler.cmd.kube.watch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.cmd.kube.watch.ObjectBytes.JsonScanner;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class JsonBytesTest {
    private static JsonScanner of(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return new JsonScanner(bytes, 0, bytes.length);
    }

    @Test
    void fieldsBetweenValuesOfAllKinds() {
        String deep = "[".repeat(100_000) + "{\"b\":\"]\"}" + "]".repeat(100_000);
        JsonScanner json = of(" { \"s\\\"}\" : \"x\\\\\\\"}\" , \"n\":-1.5e3,\"t\" : true ,\"deep\":" + deep
                + ",\"o\":{\"a\":[1,{}]},\"" + "k".repeat(100_000) + "\":null,\"last\":\"ä\" } ");
        List<String> seen = new ArrayList<>();
        assertTrue(json.enterObject());
        while (json.nextField()) {
            if (json.isField("last")) {
                seen.add(json.text());
            } else {
                assertFalse(json.isField("a"));
                seen.add("?");
                json.skipValue();
            }
        }
        assertEquals(List.of("?", "?", "?", "?", "?", "?", "ä"), seen);
    }

    @Test
    void textOfOtherValuesIsNothing() {
        JsonScanner json = of("{\"a\":{\"x\":\"y\"},\"b\":7,\"c\":\"\",\"d\":\"" + "z".repeat(10_000) + "\"}");
        json.enterObject();
        List<Integer> lengths = new ArrayList<>();
        while (json.nextField()) {
            lengths.add(json.text().length());
        }
        assertEquals(List.of(0, 0, 0, 4096), lengths);
    }

    @Test
    void onlyAWholeNumberFromZeroOnCounts() {
        JsonScanner json = of("{\"a\":150000,\"b\": 7 ,\"c\":-3,\"d\":1.5,\"e\":\"9\",\"f\":[8],\"g\":" + "9".repeat(30)
                + ",\"h\":null,\"i\":0}");
        json.enterObject();
        List<Long> counts = new ArrayList<>();
        while (json.nextField()) {
            counts.add(json.count());
        }
        assertEquals(List.of(150_000L, 7L, 0L, 0L, 0L, 0L, 0L, 0L, 0L), counts);
    }

    /** Any input ends within its bytes. */
    @Test
    void anyBytes() {
        Random random = new Random(7);
        String alphabet = "{}[]\",:\\ ax1\u00e4\n";
        for (int i = 0; i < 50_000; i++) {
            StringBuilder text = new StringBuilder("{");
            for (int j = random.nextInt(20); j > 0; j--) {
                text.append(alphabet.charAt(random.nextInt(alphabet.length())));
            }
            byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
            JsonScanner json = new JsonScanner(bytes, 0, bytes.length);
            assertTrue(json.enterObject());
            int fields = 0;
            while (json.nextField()) {
                if (fields % 2 == 0) {
                    json.text();
                } else {
                    json.count();
                }
                fields++;
            }
            assertTrue(json.position() <= bytes.length && fields <= bytes.length, text.toString());
        }
    }
}
