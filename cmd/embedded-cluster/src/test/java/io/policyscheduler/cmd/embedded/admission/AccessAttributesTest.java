package io.policyscheduler.cmd.embedded.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.cmd.embedded.admission.AccessControl.AccessAttributes;
import io.policyscheduler.cmd.embedded.admission.AccessControl.ApiUser;
import io.policyscheduler.cmd.embedded.api.ApiRequest;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AccessAttributesTest {
    private static final ApiUser USER = new ApiUser("u", "", List.of());

    /** Messages of rejections equal those of kube-apiserver 1.34. */
    @ParameterizedTest(name = "{0} {1}")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "GET | /api/v1/pods | pods is forbidden: User \"u\" cannot list resource \"pods\" in API group \"\" at"
                        + " the cluster scope",
                "GET | /api/v1/pods?watch=1 | pods is forbidden: User \"u\" cannot watch resource \"pods\" in API"
                        + " group \"\" at the cluster scope",
                "GET | /api/v1/namespaces/d/pods/q | pods \"q\" is forbidden: User \"u\" cannot get resource \"pods\""
                        + " in API group \"\" in the namespace \"d\"",
                "POST | /api/v1/namespaces/d/pods/web/binding | pods \"web\" is forbidden: User \"u\" cannot create"
                        + " resource \"pods/binding\" in API group \"\" in the namespace \"d\"",
                "GET | /apis/apps/v1/namespaces/d/deployments/x | deployments.apps \"x\" is forbidden: User \"u\""
                        + " cannot get resource \"deployments\" in API group \"apps\" in the namespace \"d\"",
                "GET | /api/v1/namespaces/d/configmaps?fieldSelector=metadata.name%3Dx&watch=1 | configmaps \"x\" is"
                        + " forbidden: User \"u\" cannot watch resource \"configmaps\" in API group \"\" in the namespace"
                        + " \"d\"",
                "GET | /api/v1/namespaces/d | namespaces \"d\" is forbidden: User \"u\" cannot get resource"
                        + " \"namespaces\" in API group \"\" in the namespace \"d\"",
                "PUT | /api/v1/nodes/n/status | nodes \"n\" is forbidden: User \"u\" cannot update resource"
                        + " \"nodes/status\" in API group \"\" at the cluster scope",
                "PATCH | /api/v1/namespaces/d/status | namespaces \"d\" is forbidden: User \"u\" cannot patch resource"
                        + " \"namespaces/status\" in API group \"\" in the namespace \"d\"",
                "DELETE | /api/v1/nodes | nodes is forbidden: User \"u\" cannot deletecollection resource \"nodes\" in"
                        + " API group \"\" at the cluster scope",
                "GET | /metrics | forbidden: User \"u\" cannot get path \"/metrics\"",
                "GET | /apis/apps/v1 | forbidden: User \"u\" cannot get path \"/apis/apps/v1\""
            })
    void refusesAsARealServer(String method, String target, String refusal) {
        int query = target.indexOf('?');
        ApiRequest request = ApiRequest.of(
                method,
                query < 0 ? target : target.substring(0, query),
                query < 0 ? "" : target.substring(query + 1),
                "",
                "",
                new byte[0]);
        assertEquals(refusal, AccessAttributes.of(request).refusal(USER, "").getMessage());
    }
}
