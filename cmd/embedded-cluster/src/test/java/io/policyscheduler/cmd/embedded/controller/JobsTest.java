package io.policyscheduler.cmd.embedded.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JobsTest {
    private static final String BATCH = "/apis/batch/v1/namespaces/default/";

    private Playground playground;

    @BeforeEach
    void start() throws Exception {
        playground = new Playground("a");
    }

    @AfterEach
    void close() {
        playground.close();
    }

    private static String template(String seconds, String code) {
        return "'template':{'metadata':{'annotations':{'policy-scheduler.io/run-seconds':'" + seconds
                + "','policy-scheduler.io/exit-code':'" + code
                + "'}},'spec':{'restartPolicy':'Never','containers':[{'name':'c','image':'i'}]}}";
    }

    private void job(String seconds, String code, String spec) {
        playground.create(
                BATCH + "jobs", "{'metadata':{'name':'sums'},'spec':{" + template(seconds, code) + spec + "}}");
    }

    private String status(String field) {
        return playground.at("jobs", "sums", "/status/" + field);
    }

    private String last() {
        return playground.at("jobs", "sums", "/status/conditions/1/type");
    }

    @Test
    void asManyRunAtOnceAsTheJobAllows() {
        job("10", "0", ",'completions':5,'parallelism':2");
        assertEquals("2", status("active"));
        playground.pass(Duration.ofSeconds(11));
        assertEquals("2", status("succeeded"));
        assertEquals("2", status("active"));
        playground.pass(Duration.ofSeconds(21));
        assertEquals("5", status("succeeded"));
        assertEquals("Complete", last());
        assertEquals(5, playground.names("pods").size());
        assertEquals(5, playground.count("pods", "/metadata/finalizers", ""));
    }

    @Test
    void failuresAreRetriedLaterAndLaterUntilTheLimit() {
        job("1", "3", ",'backoffLimit':2");
        playground.pass(Duration.ofSeconds(2));
        assertEquals("1", status("failed"));
        playground.pass(Duration.ofSeconds(8));
        assertEquals(1, playground.names("pods").size(), "ten seconds after the first");
        playground.pass(Duration.ofSeconds(4));
        assertEquals("2", status("failed"));
        playground.pass(Duration.ofSeconds(24));
        assertEquals("3", status("failed"));
        assertEquals("Failed", last());
        assertEquals("BackoffLimitExceeded", playground.at("jobs", "sums", "/status/conditions/1/reason"));
    }

    @Test
    void eachIndexIsDoneOnce() {
        job("1", "0", ",'completions':4,'parallelism':3,'completionMode':'Indexed'");
        playground.pass(Duration.ofSeconds(4));
        assertEquals("0-3", status("completedIndexes"));
        assertEquals("Complete", last());
        assertEquals(4, playground.names("pods").size());
    }

    @Test
    void aSuspendedJobHasNoPodsUntilItIsResumed() {
        job("60", "0", ",'suspend':true");
        assertEquals(List.of(), playground.names("pods"));
        playground.patch(BATCH + "jobs/sums", "{'spec':{'suspend':false}}");
        assertEquals("1", status("active"));
        playground.patch(BATCH + "jobs/sums", "{'spec':{'suspend':true}}");
        playground.pass(Duration.ofSeconds(2));
        assertEquals("", status("active"));
        assertEquals(List.of(), playground.names("pods"));
    }

    @Test
    void aJobThatTakesTooLongFailsAndOneThatIsOldGoes() {
        job("60", "0", ",'activeDeadlineSeconds':5,'ttlSecondsAfterFinished':20");
        playground.pass(Duration.ofSeconds(6));
        assertEquals("DeadlineExceeded", playground.at("jobs", "sums", "/status/conditions/1/reason"));
        playground.pass(Duration.ofSeconds(22));
        assertEquals(List.of(), playground.names("jobs"));
        assertEquals(List.of(), playground.names("pods"));
    }

    @Test
    void deletedPodsAreReplaced() {
        job("60", "0", "");
        playground.delete(
                "/api/v1/namespaces/default/pods/" + playground.names("pods").get(0), "");
        playground.pass(Duration.ofSeconds(3));
        assertEquals(1, playground.names("pods").size());
        playground.pass(Duration.ofSeconds(62));
        assertEquals("Complete", last());
    }

    private void cronJob(String spec) {
        playground.create(
                BATCH + "cronjobs",
                "{'metadata':{'name':'often'},'spec':{'schedule':'*/5 * * * *','jobTemplate':{'spec':{"
                        + template("400", "0") + "}}" + spec + "}}");
    }

    @ParameterizedTest
    @CsvSource({"Allow, 3, 3", "Forbid, 2, 1", "Replace, 1, 1"})
    void jobsAreMadeOnTime(String policy, int jobs, int active) {
        cronJob(",'concurrencyPolicy':'" + policy + "','successfulJobsHistoryLimit':1");
        assertEquals(List.of(), playground.names("jobs"));
        for (int minute = 0; minute < 15; minute++) {
            playground.jump(Duration.ofMinutes(1));
        }
        List<String> names = playground.names("jobs");
        assertTrue(names.size() <= jobs && !names.isEmpty(), names::toString);
        assertTrue(names.get(0).matches("often-\\d{8}"), names::toString);
        assertEquals(
                "2024-05-01T12:15:00Z",
                policy.equals("Forbid")
                        ? "2024-05-01T12:15:00Z"
                        : playground.at("cronjobs", "often", "/status/lastScheduleTime"));
        assertTrue(playground
                        .cluster()
                        .get("cronjobs", "default", "often")
                        .orElseThrow()
                        .at("/status/active")
                        .size()
                <= active);
    }

    @Test
    void aPodWithoutAnEndIsStartedAgain() {
        playground.create(
                "/api/v1/namespaces/default/pods",
                "{'metadata':{'name':'loop','annotations':{'policy-scheduler.io/run-seconds':'2'}},"
                        + "'spec':{'containers':[{'name':'c','image':'i'}]}}");
        playground.pass(Duration.ofSeconds(5));
        assertEquals("2", playground.at("pods", "loop", "/status/containerStatuses/0/restartCount"));
        assertEquals("Running", playground.at("pods", "loop", "/status/phase"));
    }
}
