package io.policyscheduler.cmd.embedded.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.Manifests;
import io.policyscheduler.cmd.embedded.api.StatusError;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PatchesTest {
    private static final String MERGE = "application/merge-patch+json";
    private static final String JSON_PATCH = "application/json-patch+json";

    private static JsonNode patch(String text) {
        return Manifests.json("{'p':" + text + "}").path("p");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{'a':1}|{'b':2}|{'a':1,'b':2}",
                "{'a':1}|{'a':null}|{}",
                "{'a':{'b':1,'c':2}}|{'a':{'b':null}}|{'a':{'c':2}}",
                "{'a':[1,2]}|{'a':[3]}|{'a':[3]}",
                "{'a':'x'}|{'a':{'b':{'c':null}}}|{'a':{'b':{}}}",
            })
    void merges(String object, String patch, String expected) {
        assertEquals(Manifests.json(expected), Patches.apply(MERGE, Manifests.json(object), patch(patch)));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                // Lists with a merge key are merged by element.
                "{'conditions':[{'type':'A','status':'True'},{'type':'B'}]}"
                        + "|{'conditions':[{'type':'A','status':'False'},{'type':'C'}]}"
                        + "|{'conditions':[{'type':'A','status':'False'},{'type':'C'},{'type':'B'}]}",
                "{'containers':[{'name':'a','image':'x'}]}"
                        + "|{'containers':[{'name':'a','env':[{'name':'E','value':'1'}]}]}"
                        + "|{'containers':[{'name':'a','image':'x','env':[{'name':'E','value':'1'}]}]}",
                "{'conditions':[{'type':'A'},{'type':'B'}]}|{'conditions':[{'$patch':'delete','type':'A'}]}"
                        + "|{'conditions':[{'type':'B'}]}",
                "{'conditions':[{'type':'A'}]}|{'conditions':[{'$patch':'replace'},{'type':'B'}]}"
                        + "|{'conditions':[{'type':'B'}]}",
                "{'ports':[{'port':1,'name':'a'}]}|{'ports':[{'port':1,'name':'b'}]}|{'ports':[{'port':1,'name':'b'}]}",
                "{'conditions':[{'type':'A'}]}|{'conditions':[]}|{'conditions':[{'type':'A'}]}",
                "{'resourceClaimStatuses':[{'name':'a'}],'hostIPs':[{'ip':'1.1.1.1'}]}"
                        + "|{'resourceClaimStatuses':[{'name':'a','resourceClaimName':'c'}],'hostIPs':[{'ip':'::1'}]}"
                        + "|{'resourceClaimStatuses':[{'name':'a','resourceClaimName':'c'}],"
                        + "'hostIPs':[{'ip':'::1'},{'ip':'1.1.1.1'}]}",
                // Others are replaced.
                "{'taints':[{'key':'a'}]}|{'taints':[{'key':'b'}]}|{'taints':[{'key':'b'}]}",
                "{'finalizers':['a']}|{'finalizers':['b']}|{'finalizers':['a','b']}",
                "{'finalizers':['a','b']}|{'$deleteFromPrimitiveList/finalizers':['a']}|{'finalizers':['b']}",
                "{'a':{'x':1}}|{'a':{'$patch':'replace','y':2}}|{'a':{'y':2}}",
                "{'a':{'x':1,'y':2}}|{'a':{'$retainKeys':['y'],'y':3}}|{'a':{'y':3}}",
                "{'a':1}|{'a':null,'$setElementOrder/conditions':[{'type':'A'}]}|{}",
                "{}|{'a':{'b':null,'c':1}}|{'a':{'c':1}}",
            })
    void mergesStrategically(String object, String patch, String expected) {
        assertEquals(Manifests.json(expected), Patches.apply(Patches.STRATEGIC, Manifests.json(object), patch(patch)));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{'a':1}|[{'op':'add','path':'/b','value':2}]|{'a':1,'b':2}",
                "{'a':[1,3]}|[{'op':'add','path':'/a/1','value':2},{'op':'add','path':'/a/-','value':4}]|{'a':[1,2,3,4]}",
                "{'a':1}|[{'op':'remove','path':'/a'}]|{}",
                "{'a':[1,2]}|[{'op':'remove','path':'/a/0'}]|{'a':[2]}",
                "{'a':1}|[{'op':'test','path':'/a','value':1},{'op':'replace','path':'/a','value':2}]|{'a':2}",
                "{'a':{'x/y':1}}|[{'op':'move','from':'/a/x~1y','path':'/b'}]|{'a':{},'b':1}",
                "{'a':1}|[{'op':'copy','from':'/a','path':'/b'}]|{'a':1,'b':1}",
            })
    void patches(String object, String patch, String expected) {
        assertEquals(Manifests.json(expected), Patches.apply(JSON_PATCH, Manifests.json(object), patch(patch)));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "application/apply-patch+yaml|{}|415",
                "application/json|{}|415",
                MERGE + "|[]|400",
                Patches.STRATEGIC + "|[]|400",
                Patches.STRATEGIC + "|{'conditions':[{'status':'True'}]}|400",
                JSON_PATCH + "|{}|400",
                JSON_PATCH + "|[{'op':'wrong','path':'/a'}]|422",
                JSON_PATCH + "|[{'op':'remove','path':'a'}]|400",
                JSON_PATCH + "|[{'op':'remove','path':'/b'}]|422",
                JSON_PATCH + "|[{'op':'test','path':'/a','value':2}]|422",
                JSON_PATCH + "|[{'op':'add','path':'/b/c','value':2}]|422",
            })
    void refuses(String type, String patch, int code) {
        ObjectNode object = Manifests.json("{'a':1}");
        StatusError error = assertThrows(StatusError.class, () -> Patches.apply(type, object, patch(patch)));
        assertEquals(code, error.code());
    }
}
