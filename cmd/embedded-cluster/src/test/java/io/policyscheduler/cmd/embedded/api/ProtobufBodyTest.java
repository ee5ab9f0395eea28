package io.policyscheduler.cmd.embedded.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.io.BaseEncoding;
import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import com.google.protobuf.TextFormat;
import io.kubernetes.client.proto.Meta;
import io.kubernetes.client.proto.Runtime;
import io.kubernetes.client.proto.V1;
import io.kubernetes.client.proto.V1Apps;
import io.kubernetes.client.proto.V1Coordination;
import io.kubernetes.client.proto.V1Policy;
import io.kubernetes.client.proto.V1Scheduling;
import io.policyscheduler.cmd.embedded.Manifests;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProtobufBodyTest {
    private static byte[] body(String apiVersion, String kind, ByteString raw) {
        Runtime.Unknown envelope = Runtime.Unknown.newBuilder()
                .setTypeMeta(
                        Runtime.TypeMeta.newBuilder().setApiVersion(apiVersion).setKind(kind))
                .setRaw(raw)
                .build();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.writeBytes("k8s\0".getBytes(StandardCharsets.UTF_8));
        bytes.writeBytes(envelope.toByteArray());
        return bytes.toByteArray();
    }

    private static ObjectNode decoded(String apiVersion, Message.Builder kind, String text) throws Exception {
        TextFormat.merge(text, kind);
        Message message = kind.build();
        byte[] body = body(apiVersion, message.getDescriptorForType().getName(), message.toByteString());
        // Parsed again, so that numbers have the same Java types.
        return json(ProtobufBody.decode(body).toString());
    }

    private static ObjectNode json(String text) {
        return Manifests.json(text);
    }

    @Test
    void readsADeployment() throws Exception {
        ObjectNode decoded = decoded("apps/v1", V1Apps.Deployment.newBuilder(), """
                metadata { name: "web" generateName: "" creationTimestamp {} labels { key: "app" value: "web" } }
                spec {
                  replicas: 0
                  selector { matchLabels { key: "app" value: "web" } }
                  template {
                    metadata { labels { key: "app" value: "web" } labels { key: "none" value: "" } }
                    spec {
                      volumes { name: "v" volumeSource { configMap { localObjectReference { name: "c" } } } }
                      containers {
                        name: "c" image: "nginx"
                        ports { containerPort: 80 }
                        resources { requests { key: "cpu" value { string: "500m" } } }
                        livenessProbe { handler { httpGet { path: "/" port { type: 1 strVal: "web" } } } }
                        env { name: "E" valueFrom { secretKeyRef { localObjectReference { name: "s" } key: "k" } } }
                      }
                    }
                  }
                  strategy { rollingUpdate { maxSurge { type: 0 intVal: 2 } maxUnavailable { type: 1 strVal: "25%" } } }
                }
                status {}
                """);
        assertEquals(
                json("{'apiVersion':'apps/v1','kind':'Deployment',"
                        + "'metadata':{'name':'web','labels':{'app':'web'}},'spec':{'replicas':0,"
                        + "'selector':{'matchLabels':{'app':'web'}},'template':{'metadata':{'labels':{'app':'web',"
                        + "'none':''}},'spec':{'volumes':[{'name':'v','configMap':{'name':'c'}}],'containers':["
                        + "{'name':'c','image':'nginx','ports':[{'containerPort':80}],'resources':{'requests':"
                        + "{'cpu':'500m'}},'livenessProbe':{'httpGet':{'path':'/','port':'web'}},'env':[{'name':"
                        + "'E','valueFrom':{'secretKeyRef':{'name':'s','key':'k'}}}]}]}},'strategy':"
                        + "{'rollingUpdate':{'maxSurge':2,'maxUnavailable':'25%'}}},'status':{}}"),
                decoded);
    }

    @Test
    void readsTimesBytesAndRawJson() throws Exception {
        assertEquals(
                json("{'apiVersion':'coordination.k8s.io/v1','kind':'Lease','metadata':{'name':'l','managedFields':["
                        + "{'manager':'m','time':'1970-01-01T00:00:07Z','fieldsV1':{'f:spec':{}}}]},"
                        + "'spec':{'holderIdentity':'me','renewTime':'1970-01-01T00:00:09.000120Z'}}"),
                decoded(
                        "coordination.k8s.io/v1",
                        V1Coordination.Lease.newBuilder(),
                        "metadata { name: 'l' managedFields { manager: 'm' time { seconds: 7 }"
                                + " fieldsV1 { Raw: '{\"f:spec\":{}}' } } }"
                                + " spec { holderIdentity: 'me' renewTime { seconds: 9 nanos: 120000 } }"));
        assertEquals(
                json("{'apiVersion':'v1','kind':'Secret','metadata':{'name':'s'},'data':{'k':'AAE='}}"),
                decoded(
                        "v1",
                        V1.Secret.newBuilder(),
                        "metadata { name: 's' } data { key: 'k' value: '\\000\\001' } type: ''"));
    }

    @Test
    void readsWhatASchedulerSends() throws Exception {
        assertEquals(
                json("{'apiVersion':'v1','kind':'Binding','metadata':{'name':'p'},"
                        + "'target':{'kind':'Node','name':'n'}}"),
                decoded(
                        "v1",
                        V1.Binding.newBuilder(),
                        "metadata { name: 'p' creationTimestamp {} } target { kind: 'Node' name: 'n' uid: '' }"));
        assertEquals(
                json("{'apiVersion':'policy/v1beta1','kind':'Eviction','metadata':{'name':'p'},'deleteOptions':"
                        + "{'preconditions':{'uid':'u'}}}"),
                decoded(
                        "policy/v1beta1",
                        V1Policy.Eviction.newBuilder(),
                        "metadata { name: 'p' } deleteOptions { preconditions { uid: 'u' } }"));
        assertEquals(
                json("{'apiVersion':'v1','kind':'DeleteOptions','gracePeriodSeconds':0}"),
                decoded("v1", Meta.DeleteOptions.newBuilder(), "gracePeriodSeconds: 0"));
    }

    @Test
    void keepsAnEmptyClassOfAClaimAndDropsOtherEmptyTexts() throws Exception {
        assertEquals(
                json("{'apiVersion':'v1','kind':'PersistentVolumeClaim','spec':{'storageClassName':''}}"),
                decoded("v1", V1.PersistentVolumeClaim.newBuilder(), "spec { storageClassName: '' volumeName: '' }"));
        assertEquals(
                json("{'apiVersion':'scheduling.k8s.io/v1','kind':'PriorityClass','value':1000,"
                        + "'globalDefault':true}"),
                decoded(
                        "scheduling.k8s.io/v1",
                        V1Scheduling.PriorityClass.newBuilder(),
                        "value: 1000 globalDefault: true description: ''"));
    }

    @Test
    void dropsFieldsOfALaterReleaseAndRefusesKindsThatAreNotServed() {
        ByteString later = ByteString.copyFrom(BaseEncoding.base16().decode("A27D03616263"));
        assertEquals(
                json("{'apiVersion':'v1','kind':'ServiceAccount'}"),
                ProtobufBody.decode(body("v1", "ServiceAccount", later)));
        for (String kind : new String[] {"v1 Unheard", "autoscaling/v1 HorizontalPodAutoscaler"}) {
            byte[] body = body(kind.split(" ", -1)[0], kind.split(" ", -1)[1], ByteString.EMPTY);
            assertEquals(
                    415,
                    assertThrows(StatusError.class, () -> ProtobufBody.decode(body))
                            .code());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "6B38",
                "7B7D7B7D",
                "6B387300",
                "6B3873000A",
                "6B3873000A7F",
                "6B387300FFFFFFFFFFFFFFFFFFFF01"
            })
    void refusesMalformedBodies(String hex) {
        byte[] body = BaseEncoding.base16().decode(hex);
        assertEquals(
                415,
                assertThrows(StatusError.class, () -> ProtobufBody.decode(body)).code());
    }
}
