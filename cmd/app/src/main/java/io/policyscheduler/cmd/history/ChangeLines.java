package io.policyscheduler.cmd.history;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.MapMaker;
import com.google.common.collect.Maps;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.ResourceClaimInfo;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.reader.ClusterFile;
import io.policyscheduler.engine.reader.ObjectReader;
import io.policyscheduler.engine.rules.data.RuleTables;
import io.policyscheduler.engine.rules.data.RuleTables.TableState;
import io.policyscheduler.engine.rules.data.TableDefinition.TableSchema;
import io.policyscheduler.engine.rules.data.TableValues;
import io.policyscheduler.framework.scheduler.api.Binder.BindOutcome;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import io.policyscheduler.framework.scheduler.api.ClusterChange.ClaimWritten.Effect;
import io.policyscheduler.framework.scheduler.api.ClusterChange.ClaimWritten.End;
import io.policyscheduler.framework.scheduler.api.ClusterChange.UnreadablePod;
import io.policyscheduler.framework.scheduler.api.ClusterWriter.PodRead;
import io.policyscheduler.framework.scheduler.api.Profiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The lines {@code in} and {@code item} of a trace: the changes that an iteration of the scheduling loop applies. A list is written as a
 * line {@code item} for each object, followed by a line {@code in}.
 */
final class ChangeLines {
    static final String CHANGE = "in";
    static final String ITEM = "item";

    private static final String POD = ResourceKind.PODS.objectKind();
    private static final String NODE = ResourceKind.NODES.objectKind();
    /** Field of a line {@code in}: the kind of the change. */
    private static final String NAME = "change";

    static final String OBJECT = "object";
    private static final String MESSAGE = "message";
    private static final String UID = "uid";
    private static final String TOKEN = "token";
    private static final String AT_PERMIT = "permit";
    private static final String ENDED = "ended";
    private static final String TABLE = "table";

    private ChangeLines() {}

    /** Whether a change is recorded. Tasks that only read the state of the scheduler are not. */
    static boolean isRecorded(ClusterChange change) {
        return !(change instanceof ClusterChange.Task task) || task.changesState();
    }

    /** Writes changes to a trace. */
    static final class Writer {
        private final TraceWriter trace;
        private final Function<ClusterObject, byte @Nullable []> originals;
        /** The place of tables among all; keys are compared by identity. */
        private final ConcurrentMap<RuleTables, TablePlace> tables =
                new MapMaker().weakKeys().makeMap();

        private record TablePlace(long generation, int profile) {}

        /** @param originals returns the JSON that an object was read from; null if it is not known */
        Writer(TraceWriter trace, Function<ClusterObject, byte @Nullable []> originals) {
            this.trace = trace;
            this.originals = originals;
        }

        /** Announces the tables of the profiles of a generation; any thread. */
        void tables(long generation, List<RuleTables> ofProfiles) {
            for (int i = 0; i < ofProfiles.size(); i++) {
                tables.putIfAbsent(ofProfiles.get(i), new TablePlace(generation, i));
            }
        }

        /** Writes the lines of a change. */
        void write(Instant time, ClusterChange change) throws IOException {
            if (change instanceof ClusterChange.PodsReplaced list) {
                list(time, POD, list.pods(), list.resourceVersion(), list.unreadable());
            } else if (change instanceof ClusterChange.NodesReplaced list) {
                list(time, NODE, list.nodes(), "", List.of());
            } else if (change instanceof ClusterChange.ObjectsReplaced list) {
                list(time, list.kind().objectKind(), list.objects(), "", List.of());
            } else if (change instanceof ClusterChange.PodUpserted one) {
                put(time, POD, one.pod());
            } else if (change instanceof ClusterChange.NodeUpserted one) {
                put(time, NODE, one.node());
            } else if (change instanceof ClusterChange.ObjectUpserted one) {
                put(time, one.object().resourceKind().objectKind(), one.object());
            } else if (change instanceof ClusterChange.PodDeleted one) {
                deleted(time, POD, one.namespace(), one.name(), one.uid());
            } else if (change instanceof ClusterChange.NodeDeleted one) {
                deleted(time, NODE, "", one.name(), "");
            } else if (change instanceof ClusterChange.ObjectDeleted one) {
                deleted(time, one.kind().objectKind(), one.namespace(), one.name(), "");
            } else if (change instanceof ClusterChange.PodUnreadable one) {
                line(time, "unreadable", json -> {
                    json.writeFieldName("pod");
                    write(json, one.pod());
                });
            } else {
                other(time, change);
            }
        }

        private void other(Instant time, ClusterChange change) throws IOException {
            if (change instanceof ClusterChange.SchedulingEnabled one) {
                line(time, "enabled", json -> json.writeBooleanField("enabled", one.enabled()));
            } else if (change instanceof ClusterChange.ProfilesReplaced one) {
                line(
                        time,
                        "policy",
                        json -> json.writeNumberField(
                                "generation", one.profiles().generation()));
            } else if (change instanceof ClusterChange.ServerBack) {
                line(time, "back", json -> {});
            } else if (change instanceof ClusterChange.PodEndRead one) {
                read(time, "ended", "", 0, new PodRead.Found(one.pod()));
            } else if (change instanceof ClusterChange.PodReRead one) {
                read(time, "read", one.podId(), one.token(), one.read());
            } else if (change instanceof ClusterChange.DoubtAnswered one) {
                read(time, "doubt", "", one.token(), one.read());
            } else if (change instanceof ClusterChange.PreemptionStarted one) {
                preemption(time, "started", one.pod());
            } else if (change instanceof ClusterChange.PreemptionDropped one) {
                preemption(time, "dropped", one.pod());
            } else if (change instanceof ClusterChange.PreemptionCarriedOut one) {
                preemption(time, "done", one.pod());
            } else if (change instanceof ClusterChange.PreemptionFailed one) {
                preemption(time, one.keepsNomination() ? "failed" : "unwritten", one.pod());
            } else if (change instanceof ClusterChange.BindAnswered one) {
                binding(
                        time,
                        "bind",
                        one.podId(),
                        one.token(),
                        one.outcome().kind().name(),
                        one.outcome().message());
            } else if (change instanceof ClusterChange.VolumesAnswered one) {
                binding(time, "volumes", one.podId(), one.token(), "", one.error());
            } else if (change instanceof ClusterChange.PluginsRan one) {
                binding(time, "plugins", one.podId(), one.token(), one.outcome().name(), one.message());
            } else if (change instanceof ClusterChange.PermitAllowed one) {
                binding(time, "allow", one.podId(), one.token(), one.plugin(), "");
            } else if (change instanceof ClusterChange.PermitRejected one) {
                binding(time, "reject", one.podId(), one.token(), one.plugin(), one.message());
            } else if (change instanceof ClusterChange.BindingCancelled one) {
                binding(time, "cancel", one.podId(), one.token(), one.atPermit() ? AT_PERMIT : "", one.message());
            } else if (change instanceof ClusterChange.ClaimWritten one) {
                claim(time, one);
            } else if (change instanceof ClusterChange.TableChanged one) {
                table(time, one);
            } else if (change instanceof ClusterChange.Task one) {
                unrecorded(time, one.description());
            } else {
                throw new IllegalStateException("a change of an unknown kind: " + change);
            }
        }

        private void line(Instant time, String change, TraceWriter.Fields fields) throws IOException {
            trace.write(CHANGE, time, json -> {
                json.writeStringField(NAME, change);
                fields.write(json);
            });
        }

        private void claim(Instant time, ClusterChange.ClaimWritten change) throws IOException {
            ResourceClaimInfo claim = change.claim();
            ResourceClaimInfo ended = change.ended();
            byte[] read = claim == null || change.effect() == Effect.DELETED ? null : original(claim);
            line(time, "claim", json -> {
                json.writeStringField("effect", change.effect().name());
                if (read != null) {
                    write(json, read);
                } else if (claim != null) {
                    identity(json, OBJECT, claim);
                }
                json.writeStringField("end", change.end().name());
                if (ended != null) {
                    identity(json, ENDED, ended);
                }
            });
        }

        private static void identity(JsonGenerator json, String field, ResourceClaimInfo claim) throws IOException {
            json.writeObjectFieldStart(field);
            json.writeObjectFieldStart("metadata");
            json.writeStringField("namespace", claim.namespace());
            json.writeStringField("name", claim.name());
            json.writeStringField(UID, claim.uid());
            json.writeEndObject();
            json.writeEndObject();
        }

        private void table(Instant time, ClusterChange.TableChanged change) throws IOException {
            TableState state = change.state();
            TablePlace place = tables.get(change.tables());
            if (place == null) {
                unrecorded(time, "values of the table " + state.schema().name());
                return;
            }
            line(time, "table", json -> {
                json.writeNumberField("generation", place.generation());
                json.writeNumberField("profile", place.profile());
                json.writeStringField(TABLE, state.schema().name());
                json.writeNumberField("values", state.generation());
                json.writeObjectFieldStart("rows");
                for (Map.Entry<String, ImmutableMap<String, Object>> row :
                        state.values().rows().entrySet()) {
                    fields(json, row.getKey(), row.getValue());
                }
                json.writeEndObject();
                fields(json, "defaults", state.values().defaults());
                fields(json, "times", Maps.transformValues(state.values().times(), Instant::toString));
                if (state.sourceTime() != null) {
                    json.writeStringField("sourceTime", state.sourceTime().toString());
                }
                json.writeNumberField("stale", state.stale());
            });
        }

        private static void fields(JsonGenerator json, String name, Map<String, ?> values) throws IOException {
            json.writeObjectFieldStart(name);
            for (Map.Entry<String, ?> value : values.entrySet()) {
                json.writeObjectField(value.getKey(), value.getValue());
            }
            json.writeEndObject();
        }

        /** Writes that decisions depend on an input that the trace does not contain. */
        void unrecorded(Instant time, String what) throws IOException {
            line(time, "unrecorded", json -> json.writeStringField("what", what));
        }

        private void list(
                Instant time,
                String kind,
                List<? extends ClusterObject> objects,
                String version,
                List<UnreadablePod> unreadable)
                throws IOException {
            for (ClusterObject object : objects) {
                byte[] original = original(object);
                trace.write(ITEM, time, json -> write(json, original));
            }
            line(time, "list", json -> {
                json.writeStringField("kind", kind);
                json.writeNumberField("count", objects.size());
                if (!version.isEmpty()) {
                    json.writeStringField("version", version);
                }
                if (!unreadable.isEmpty()) {
                    json.writeArrayFieldStart("unreadable");
                    for (UnreadablePod pod : unreadable) {
                        write(json, pod);
                    }
                    json.writeEndArray();
                }
            });
        }

        private void put(Instant time, String kind, ClusterObject object) throws IOException {
            byte[] original = original(object);
            line(time, "put", json -> {
                json.writeStringField("kind", kind);
                write(json, original);
            });
        }

        private byte[] original(ClusterObject object) throws IOException {
            byte[] known = originals.apply(object);
            if (known == null) {
                throw new IOException(
                        "the JSON of " + object.resourceKind().objectKind() + " " + object.key() + " is not known");
            }
            return known;
        }

        private static void write(JsonGenerator json, byte[] object) throws IOException {
            json.writeFieldName(OBJECT);
            json.writeRawValue(new String(object, StandardCharsets.UTF_8));
        }

        private static void write(JsonGenerator json, UnreadablePod pod) throws IOException {
            json.writeStartObject();
            json.writeStringField("namespace", pod.namespace());
            json.writeStringField("name", pod.name());
            json.writeStringField(UID, pod.uid());
            json.writeStringField("node", pod.nodeName());
            json.writeStringField("scheduler", pod.schedulerName());
            json.writeStringField("reason", pod.reason());
            json.writeBooleanField("closesNode", pod.closesNode());
            json.writeEndObject();
        }

        private void deleted(Instant time, String kind, String namespace, String name, String uid) throws IOException {
            line(time, "delete", json -> {
                json.writeStringField("kind", kind);
                json.writeStringField("namespace", namespace);
                json.writeStringField("name", name);
                json.writeStringField(UID, uid);
            });
        }

        private void read(Instant time, String change, String uid, long token, PodRead read) throws IOException {
            byte[] found = read instanceof PodRead.Found one ? original(one.pod()) : null;
            line(time, change, json -> {
                json.writeStringField(UID, uid);
                json.writeNumberField(TOKEN, token);
                if (found != null) {
                    write(json, found);
                } else if (read instanceof PodRead.Failed failed) {
                    json.writeStringField(MESSAGE, failed.message());
                }
            });
        }

        private void preemption(Instant time, String step, PodInfo pod) throws IOException {
            line(time, "preemption", json -> {
                json.writeStringField("step", step);
                json.writeStringField("pod", pod.key());
                json.writeStringField(UID, pod.uid());
            });
        }

        private void binding(Instant time, String change, String uid, long token, String outcome, String message)
                throws IOException {
            line(time, change, json -> {
                json.writeStringField(UID, uid);
                json.writeNumberField(TOKEN, token);
                json.writeStringField("outcome", outcome);
                json.writeStringField(MESSAGE, message);
            });
        }
    }

    /** Reads changes from a trace. */
    static final class Reader {
        private final JsonFactory json = ClusterFile.jsonFactory();
        private final ObjectReader watched;
        private final ObjectReader read;
        /** As the writer of claims reads them. */
        private final ObjectReader claims;

        private final LongFunction<Profiles> profiles;
        private final LongFunction<List<RuleTables>> tables;
        private final Function<String, @Nullable PodInfo> nominated;

        /**
         * @param gates the feature gates with which the scheduler read objects
         * @param profiles creates the profiles of a generation
         * @param tables returns the tables of each profile of a generation
         * @param nominated returns the pod with a UID as of its last preemption; null if it did not preempt
         */
        Reader(
                FeatureGates gates,
                LongFunction<Profiles> profiles,
                LongFunction<List<RuleTables>> tables,
                Function<String, @Nullable PodInfo> nominated) {
            this.watched = new ObjectReader(gates, false, field -> {});
            this.read = new ObjectReader(gates, false);
            this.claims = new ObjectReader(FeatureGates.defaults(), false);
            this.profiles = profiles;
            this.tables = tables;
            this.nominated = nominated;
        }

        /**
         * Returns the change of a line; null for a change that cannot be applied, such as the end of a preemption that the replay did not start.
         *
         * @param pending the objects of the lines {@code item} before this line, in order
         */
        @Nullable
        ClusterChange change(JsonNode line, List<JsonNode> pending) throws IOException {
            String uid = text(line, UID);
            long token = line.path(TOKEN).asLong();
            String message = text(line, MESSAGE);
            String outcome = text(line, "outcome");
            return switch (text(line, NAME)) {
                case "list" -> list(line, pending);
                case "put" -> put(object(watched, text(line, "kind"), line.path(OBJECT)));
                case "delete" -> deleted(line);
                case "unreadable" -> new ClusterChange.PodUnreadable(unreadable(line.path("pod")));
                case "enabled" ->
                    new ClusterChange.SchedulingEnabled(line.path("enabled").asBoolean());
                case "policy" ->
                    new ClusterChange.ProfilesReplaced(
                            profiles.apply(line.path("generation").asLong()));
                case "claim" -> claim(line);
                case "table" -> table(line);
                case "back" -> new ClusterChange.ServerBack();
                case "ended" -> new ClusterChange.PodEndRead(pod(line.path(OBJECT)));
                case "read" -> new ClusterChange.PodReRead(uid, token, answer(line));
                case "doubt" -> new ClusterChange.DoubtAnswered(token, answer(line));
                case "preemption" -> preemption(text(line, "step"), nominated.apply(uid));
                case "bind" ->
                    new ClusterChange.BindAnswered(
                            uid, token, new BindOutcome(BindOutcome.Kind.valueOf(outcome), message));
                case "volumes" -> new ClusterChange.VolumesAnswered(uid, token, message);
                case "plugins" ->
                    new ClusterChange.PluginsRan(
                            uid, token, ClusterChange.PluginsRan.Outcome.valueOf(outcome), message);
                case "allow" -> new ClusterChange.PermitAllowed(uid, token, outcome);
                case "reject" -> new ClusterChange.PermitRejected(uid, token, outcome, message);
                case "cancel" -> new ClusterChange.BindingCancelled(uid, token, outcome.equals(AT_PERMIT), message);
                case "unrecorded" -> null;
                default ->
                    throw new IOException("\"" + text(line, NAME)
                            + "\" is an unknown change; replay the recording with the version that wrote it");
            };
        }

        private static String text(JsonNode line, String field) {
            return line.path(field).asText();
        }

        private ClusterChange list(JsonNode line, List<JsonNode> pending) throws IOException {
            int count = line.path("count").asInt();
            String kind = text(line, "kind");
            if (pending.size() != count) {
                throw new IOException(
                        "the list of " + kind + " has " + pending.size() + " objects instead of " + count);
            }
            List<ClusterObject> items = new ArrayList<>();
            for (JsonNode object : pending) {
                items.add(object(watched, kind, object));
            }
            if (kind.equals(POD)) {
                List<UnreadablePod> unreadable = new ArrayList<>();
                line.path("unreadable").forEach(pod -> unreadable.add(unreadable(pod)));
                return new ClusterChange.PodsReplaced(
                        items.stream().map(PodInfo.class::cast).toList(), unreadable, text(line, "version"));
            }
            if (kind.equals(NODE)) {
                return new ClusterChange.NodesReplaced(
                        items.stream().map(Node.class::cast).toList());
            }
            return new ClusterChange.ObjectsReplaced(kind(kind), items);
        }

        private static ResourceKind kind(String name) throws IOException {
            ResourceKind kind = ResourceKind.ofObjectKind(name);
            if (kind == null) {
                throw new IOException(
                        "\"" + name + "\" is an unknown kind; replay the recording with the version that wrote it");
            }
            return kind;
        }

        private static ClusterChange put(ClusterObject object) {
            if (object instanceof PodInfo pod) {
                return new ClusterChange.PodUpserted(pod);
            }
            return object instanceof Node node
                    ? new ClusterChange.NodeUpserted(node)
                    : new ClusterChange.ObjectUpserted(object);
        }

        private static ClusterChange deleted(JsonNode line) throws IOException {
            String kind = text(line, "kind");
            String name = text(line, "name");
            if (kind.equals(POD)) {
                return new ClusterChange.PodDeleted(text(line, "namespace"), name, text(line, UID));
            }
            return kind.equals(NODE)
                    ? new ClusterChange.NodeDeleted(name)
                    : new ClusterChange.ObjectDeleted(kind(kind), text(line, "namespace"), name);
        }

        private static UnreadablePod unreadable(JsonNode pod) {
            return new UnreadablePod(
                    text(pod, "namespace"),
                    text(pod, "name"),
                    text(pod, UID),
                    text(pod, "node"),
                    text(pod, "scheduler"),
                    text(pod, "reason"),
                    pod.path("closesNode").asBoolean());
        }

        private PodRead answer(JsonNode line) throws IOException {
            if (line.has(OBJECT)) {
                return new PodRead.Found(pod(line.path(OBJECT)));
            }
            return line.has(MESSAGE) ? new PodRead.Failed(text(line, MESSAGE)) : new PodRead.NotFound();
        }

        private PodInfo pod(JsonNode tree) throws IOException {
            return (PodInfo) object(read, POD, tree);
        }

        private ClusterObject object(ObjectReader reader, String kind, JsonNode tree) throws IOException {
            // From text, because the recorded scheduler parsed the same text.
            try (JsonParser parser = json.createParser(tree.toString())) {
                parser.nextToken();
                ClusterObject object = reader.read(parser, kind);
                if (object == null) {
                    throw new IOException(
                            "\"" + kind + "\" is an unknown kind; replay the recording with the version that wrote it");
                }
                return object;
            }
        }

        private ClusterChange claim(JsonNode line) throws IOException {
            return new ClusterChange.ClaimWritten(
                    Effect.valueOf(text(line, "effect")),
                    claim(line, OBJECT),
                    End.valueOf(text(line, "end")),
                    claim(line, ENDED));
        }

        private @Nullable ResourceClaimInfo claim(JsonNode line, String field) throws IOException {
            return line.has(field)
                    ? (ResourceClaimInfo) object(claims, ResourceKind.RESOURCE_CLAIMS.objectKind(), line.path(field))
                    : null;
        }

        private ClusterChange table(JsonNode line) throws IOException {
            long generation = line.path("generation").asLong();
            int profile = line.path("profile").asInt();
            List<RuleTables> all = tables.apply(generation);
            RuleTables of = profile < all.size() ? all.get(profile) : RuleTables.none();
            TableSchema schema = of.schemas().get(text(line, TABLE));
            if (schema == null) {
                throw new IOException("profile " + profile + " of generation " + generation + " has no table \""
                        + text(line, TABLE) + "\"");
            }
            ImmutableMap.Builder<String, ImmutableMap<String, Object>> rows = ImmutableMap.builder();
            line.path("rows").properties().forEach(row -> rows.put(row.getKey(), values(row.getValue())));
            ImmutableMap.Builder<String, Instant> times = ImmutableMap.builder();
            line.path("times")
                    .properties()
                    .forEach(time -> times.put(
                            time.getKey(), Instant.parse(time.getValue().asText())));
            return new ClusterChange.TableChanged(
                    of,
                    new TableState(
                            schema,
                            new TableValues(rows.buildOrThrow(), values(line.path("defaults")), times.buildOrThrow()),
                            line.path("values").asLong(),
                            line.has("sourceTime") ? Instant.parse(text(line, "sourceTime")) : null,
                            line.path("stale").asInt(),
                            null));
        }

        /** Returns Boolean, Double, and String values by name. */
        private static ImmutableMap<String, Object> values(JsonNode object) {
            ImmutableMap.Builder<String, Object> values = ImmutableMap.builder();
            object.properties().forEach(entry -> {
                JsonNode value = entry.getValue();
                values.put(
                        entry.getKey(),
                        value.isBoolean()
                                ? (Object) value.booleanValue()
                                : value.isNumber() ? (Object) value.doubleValue() : value.asText());
            });
            return values.buildOrThrow();
        }

        private static @Nullable ClusterChange preemption(String step, @Nullable PodInfo pod) {
            if (pod == null) {
                return null;
            }
            return switch (step) {
                case "started" -> new ClusterChange.PreemptionStarted(pod);
                case "dropped" -> new ClusterChange.PreemptionDropped(pod);
                case "done" -> new ClusterChange.PreemptionCarriedOut(pod);
                default -> new ClusterChange.PreemptionFailed(pod, step.equals("failed"));
            };
        }
    }
}
