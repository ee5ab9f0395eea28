package io.policyscheduler.cmd.kube.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ServerWaitTest {
    private static final Instant START = Instant.parse("2026-11-28T08:00:00Z");

    private final AtomicReference<Instant> now = new AtomicReference<>(START);
    private final List<Long> problems = new ArrayList<>();

    private long seconds() {
        return Duration.between(START, now.get()).toSeconds();
    }

    private String send(Iterator<String> responses, String last) throws ApiIoException {
        String response = responses.hasNext() ? responses.next() : last;
        if (response.equals("none")) {
            throw new ApiIoException("GET /version: refused", new IOException("closed"));
        }
        int code = Integer.parseInt(response);
        if (code != 200) {
            throw new ApiIoException("GET /version: " + code, code);
        }
        return response;
    }

    /** The last response is repeated. The reasons are reported at once and then every 30 seconds. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            0s  | 200          | 0  | 200 | []
            0s  | none         | 0  | GET /version: refused | []
            10s | 200          | 0  | 200 | []
            10s | 401          | 0  | GET /version: 401 | []
            10s | none:200     | 1  | 200 | [0]
            10s | 503:none:200 | 2  | 200 | [0]
            10s | none:403     | 1  | GET /version: 403 | [0]
            3s  | none         | 3  | GET /version: refused | [0]
            61s | 500          | 61 | GET /version: 500 | [0, 30, 60]
            """)
    void waitsForTheServer(String limit, String responses, int waited, String result, String reported)
            throws Exception {
        List<String> all = List.of(responses.split(":", -1));
        Iterator<String> next = all.iterator();
        ServerWait wait = new ServerWait(
                pause -> now.updateAndGet(before -> before.plus(pause)), now::get, problem -> problems.add(seconds()));
        Duration time = Duration.parse("PT" + limit.toUpperCase(Locale.ROOT));
        ServerWait.Request<String> request = () -> send(next, all.get(all.size() - 1));
        if (result.equals("200")) {
            assertEquals(result, wait.until(time, request));
        } else {
            assertEquals(
                    result,
                    assertThrows(ApiIoException.class, () -> wait.until(time, request))
                            .getMessage());
        }
        assertEquals(waited, seconds());
        assertEquals(reported, problems.toString());
    }
}
