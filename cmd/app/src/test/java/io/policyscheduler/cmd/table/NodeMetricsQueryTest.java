package io.policyscheduler.cmd.table;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.kube.connection.SteadyClock.Sleeper;
import io.policyscheduler.cmd.table.MeasuredSource.MeasureException;
import io.policyscheduler.cmd.table.PrometheusQuery.NodeMetrics;
import okhttp3.MediaType;
import okhttp3.Protocol;
import okhttp3.Response;
import okhttp3.ResponseBody;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Responses of metrics.k8s.io and the resulting values. */
class NodeMetricsQueryTest {
    @ParameterizedTest
    @CsvSource(
            delimiterString = "=>",
            quoteCharacter = '`',
            value = {
                "200 => {'items':[{'metadata':{'name':'n1'},'timestamp':'2026-01-01T12:00:00Z','window':'10s','usage':"
                        + "{'cpu':'1250m','memory':'2Ki'}},{'metadata':{'name':'n2'},'timestamp':'2026-01-01T12:00:05Z',"
                        + "'usage':{'cpu':'250000000n','memory':'1'}}]}"
                        + " => {n1=Sample[row={cpu=1.25, memory=2048.0}, time=2026-01-01T12:00:00Z],"
                        + " n2=Sample[row={cpu=0.25, memory=1.0}, time=2026-01-01T12:00:05Z]}",
                "200 => {'items':[]} => {}",
                "404 => 404 page not found => the cluster has no API metrics.k8s.io; install metrics-server",
                "403 => {'message':'forbidden'} => forbidden; grant list of nodes in metrics.k8s.io",
                "500 => {'message':'no'} => no",
                "200 => {'items':[{'metadata':{'name':'n1'},'timestamp':'2026-01-01T12:00:00Z','usage':{'cpu':'much'}}]}"
                        + " => usage.cpu \"much\" is no quantity",
                "200 => {'items':[{'metadata':{'name':'n1'},'timestamp':'now','usage':{'cpu':'1','memory':'1'}}]}"
                        + " => timestamp \"now\" is no time",
            })
    void answers(int code, String body, String expected) {
        try (KubeConnection connection = KubeConnection.inProcess(
                chain -> new Response.Builder()
                        .request(chain.request())
                        .protocol(Protocol.HTTP_1_1)
                        .code(code)
                        .message("")
                        .body(ResponseBody.create(body.replace('\'', '"'), MediaType.get("application/json")))
                        .build(),
                Sleeper.REAL)) {
            String result;
            try (NodeMetrics query = new NodeMetrics(connection)) {
                result = query.measure().toString();
            } catch (MeasureException e) {
                result = String.valueOf(e.getMessage());
            }
            assertEquals(expected, result);
        }
    }
}
