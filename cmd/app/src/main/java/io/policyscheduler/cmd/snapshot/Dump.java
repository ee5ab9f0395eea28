package io.policyscheduler.cmd.snapshot;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TreeTraversingParser;
import com.google.common.base.MoreObjects;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Sets;
import io.policyscheduler.cmd.snapshot.KindReaders.UnknownFields;
import io.policyscheduler.cmd.snapshot.LiveSnapshot.LiveCreationObjects.Resource;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.creation.ObjectCreation;
import io.policyscheduler.engine.creation.ObjectCreation.Objects;
import io.policyscheduler.engine.creation.ObjectCreation.RejectedException;
import io.policyscheduler.engine.reader.ClusterFile;
import io.policyscheduler.engine.reader.ObjectReader;
import io.policyscheduler.engine.reader.ObjectReader.MalformedObjectException;
import io.policyscheduler.engine.reader.ObjectReader.ManifestSink;
import io.policyscheduler.framework.insight.compare.ClusterSnapshot;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A cluster and its pending pods, read from files. Objects without a namespace are in {@code default}, as with kubectl; unusable
 * objects are skipped with a warning.
 */
public final class Dump {
    static final String DEFAULT_NAMESPACE = "default";
    private static final String LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

    /** Removes the fields that only the API server and kubectl read: their history of the changes of an object. */
    public static void removeServerFields(JsonNode object) {
        if (object.path("metadata") instanceof ObjectNode metadata) {
            metadata.remove("managedFields");
            if (metadata.path("annotations") instanceof ObjectNode annotations) {
                annotations.remove(LAST_APPLIED);
            }
        }
    }

    /** Kinds whose defaults depend on objects that may follow later. */
    private static final Set<String> LATE = Set.of("Pod", "PersistentVolumeClaim");
    /** Kinds that get defaults that decisions read. */
    private static final Set<String> COMPLETED = Set.of(
            "Pod",
            "PersistentVolumeClaim",
            "PersistentVolume",
            "Node",
            "Namespace",
            "StorageClass",
            "ResourceClaim",
            "ReplicationController");

    private final FeatureGates gates;
    private final List<Node> nodes = new ArrayList<>();
    private final List<ClusterObject> others = new ArrayList<>();
    /** In the order of appearance. */
    private final List<Entry> pods = new ArrayList<>();

    private final List<Entry> claims = new ArrayList<>();
    /** Manifests of workloads, whose pods no controller has created yet. */
    private final List<WorkloadFile> workloads = new ArrayList<>();

    private final ManifestObjects written;
    private final ObjectReader plain;
    private final ClusterFile reader;
    private final Consumer<String> warnings;
    private final RepeatedWarnings repeated;
    private final IntConsumer progress;
    private final Set<String> seen = new HashSet<>();
    private final Set<ResourceKind> kinds = EnumSet.noneOf(ResourceKind.class);
    private final Set<String> missing = new HashSet<>();
    private final Map<String, Boolean> features = new TreeMap<>();
    private @Nullable Release server;
    private @Nullable Instant captured;
    private @Nullable ClusterSnapshot settled;
    private final List<String> withoutObjects = new ArrayList<>();
    private String file = "";
    private int objects;
    private int skipped;

    /**
     * An object, with its text if it needs defaults.
     *
     * @param object as in the file
     */
    record Entry(ClusterObject object, ManifestObjects.@Nullable Written written) {}

    private record WorkloadFile(String file, ObjectNode tree) {}

    /**
     * An empty dump.
     *
     * @param warnings receives skipped or reinterpreted objects, one line each
     * @param progress receives the number of objects read so far, for each object
     */
    public Dump(FeatureGates gates, Consumer<String> warnings, IntConsumer progress) {
        this(gates, Objects.NONE, warnings, progress);
    }

    /**
     * A dump of objects to add to a cluster.
     *
     * @param more objects of the cluster that affect new objects
     */
    public Dump(FeatureGates gates, Objects more, Consumer<String> warnings, IntConsumer progress) {
        this.gates = gates;
        this.written = new ManifestObjects(more);
        Consumer<String> onUnknown = path -> warnings.accept(UnknownFields.warning(path));
        this.reader = new ClusterFile(ObjectReader.ofFiles(gates, false, onUnknown, new Manifests()));
        this.plain = new ObjectReader(gates, false);
        this.warnings = warnings;
        this.repeated = new RepeatedWarnings(warnings);
        this.progress = progress;
    }

    /**
     * Adds the objects of a file.
     *
     * @throws IOException if it cannot be read; one line that names the file
     */
    public void read(Path path) throws IOException {
        int before = objects;
        file = path.toString();
        reader.read(path, new ClusterFile.Sink() {
            @Override
            public void object(ClusterObject object) {
                count();
                add(file, object);
            }

            @Override
            public void malformed(String reason) {
                objects++;
                skip(file, reason);
            }

            @Override
            public void fact(String field, String value) {
                if (field.equals(ClusterFile.SERVER_VERSION)) {
                    server = Release.ofVersion(value).orElse(server);
                } else {
                    captured = instant(value);
                }
            }

            @Override
            public void features(Map<String, Boolean> gates) {
                features.putAll(gates);
            }

            @Override
            public void listed(String kind) {
                ResourceKind known = ResourceKind.ofObjectKind(kind);
                if (known != null) {
                    kinds.add(known);
                }
            }
        });
        if (objects == before) {
            withoutObjects.add(file + ": no objects that scheduling reads");
        }
    }

    private @Nullable Instant instant(String text) {
        try {
            return Instant.parse(text);
        } catch (DateTimeParseException e) {
            return captured;
        }
    }

    /** Time of the dump; empty if unknown. */
    public Optional<Instant> captured() {
        return Optional.ofNullable(captured);
    }

    private void count() {
        objects++;
        progress.accept(objects);
    }

    /** Adds an object without defaults, or one that affects such objects. */
    private final class Manifests implements ManifestSink {
        @Override
        public RequestedTrees requestedTrees(String kind) {
            if (ManifestObjects.classOf(kind).isPresent()) {
                return RequestedTrees.ALL;
            }
            return COMPLETED.contains(kind) || WorkloadPods.KINDS.contains(kind)
                    ? RequestedTrees.WRITTEN_BY_HAND
                    : RequestedTrees.NONE;
        }

        @Override
        public boolean take(String kind, ObjectNode tree, @Nullable ClusterObject asWritten)
                throws MalformedObjectException {
            return takeNamed(kind, tree, asWritten == null ? null : named(kind, tree, asWritten));
        }

        /** An object with a generated name gets one that is the same each time. */
        private ClusterObject named(String kind, ObjectNode tree, ClusterObject asWritten) {
            String prefix = tree.path("metadata").path("generateName").asText();
            if (!asWritten.name().isEmpty() || prefix.isEmpty()) {
                return asWritten;
            }
            tree.withObject("/metadata").put("name", prefix + WorkloadPods.suffix(prefix + objects));
            try {
                return MoreObjects.firstNonNull(read(kind, tree), asWritten);
            } catch (IOException e) {
                return asWritten;
            }
        }

        private boolean takeNamed(String kind, ObjectNode tree, @Nullable ClusterObject asWritten)
                throws MalformedObjectException {
            ManifestObjects.classOf(kind).ifPresent(known -> written.keep(known, tree));
            if (WorkloadPods.KINDS.contains(kind) && !ObjectCreation.isStored(tree) && !WorkloadPods.isPart(tree)) {
                workloads.add(new WorkloadFile(file, tree.deepCopy().put("kind", kind)));
            }
            if (asWritten == null) {
                count();
                return true;
            }
            if (!COMPLETED.contains(kind) || ObjectCreation.isStored(tree)) {
                return false;
            }
            count();
            ManifestObjects.Written text = ManifestObjects.written(file, kind, tree);
            if (LATE.contains(kind)) {
                add(file, asWritten, text);
            } else {
                add(file, completed(text, asWritten));
            }
            return true;
        }
    }

    private ManifestObjects.Completion completion(FeatureGates rules) {
        return new ManifestObjects.Completion(rules, written, this::missing, plain);
    }

    /** The object of the file if it cannot be completed. */
    private ClusterObject completed(ManifestObjects.Written text, ClusterObject asWritten) {
        try {
            ClusterObject completed = completion(gates).complete(text, new ArrayList<>());
            return completed == null ? asWritten : completed;
        } catch (RejectedException | IOException e) {
            skip(text.where(), MissingObjectText.refused(text, e));
            return asWritten;
        }
    }

    private void missing(Objects.Kind kind, String name) {
        if (missing.add(kind + " " + name)) {
            repeated.warn("W151 " + kind.objectKind() + " not in the files", MissingObjectText.ofClass(kind, name));
        }
    }

    /** Called after the last file: reports warnings about many objects. */
    public void finish() {
        settle();
        if (objects > 0) {
            withoutObjects.forEach(warnings);
        }
        repeated.finish();
    }

    private void skip(String where, String reason) {
        skipped++;
        repeated.skipped(where + ": skipped: ", reason);
    }

    /**
     * Warnings about single objects: the first ones of a kind are reported, the others are counted. A file of the wrong kind would
     * otherwise print a line for each of its objects.
     */
    private static final class RepeatedWarnings {
        private static final int REPORTED = 5;
        /** Values in reasons can differ from object to object. */
        private static final int MAX_REASONS = 50;

        private static final Pattern OBJECT =
                Pattern.compile("^(items\\[\\d+]: )?([A-Z]\\w* \\S+: )?(items\\[\\d+][.]?)?");
        private static final Pattern INDEX = Pattern.compile("\\[\\d+\\]");
        private static final String OTHERS = "for other reasons";

        private final Consumer<String> warnings;
        private final Map<String, Integer> counts = new LinkedHashMap<>();

        RepeatedWarnings(Consumer<String> warnings) {
            this.warnings = warnings;
        }

        void skipped(String start, String reason) {
            String group = start
                    + INDEX.matcher(OBJECT.matcher(reason).replaceFirst("")).replaceAll("[]");
            boolean isNew = !counts.containsKey(group) && counts.size() >= MAX_REASONS;
            warn(isNew ? start + OTHERS : group, start + reason);
        }

        void warn(String group, String line) {
            if (counts.merge(group, 1, Integer::sum) <= REPORTED) {
                warnings.accept(line);
            }
        }

        /** Reports the number of warnings that were not reported one by one. */
        void finish() {
            counts.forEach((group, count) -> {
                if (count > REPORTED) {
                    warnings.accept(group + " (" + (count - REPORTED) + " more objects)");
                }
            });
            counts.clear();
        }
    }

    /** Number of objects, including skipped ones. */
    public int objects() {
        return objects;
    }

    /** Number of skipped objects. */
    public int skipped() {
        return skipped;
    }

    /** The complete dump with defaults. Nothing can be added after this call. */
    public ClusterSnapshot snapshot() {
        return settle();
    }

    /** The kinds of which the files have objects, or state that there are none. */
    public Set<ResourceKind> kinds() {
        return Sets.immutableEnumSet(kinds);
    }

    /** The objects that affect new objects. */
    public Objects creationObjects() {
        return written;
    }

    /**
     * Adds an object from another source.
     *
     * @param where source in warnings
     */
    public void add(String where, ClusterObject read) {
        add(where, read, null);
    }

    private void add(String where, ClusterObject read, ManifestObjects.@Nullable Written text) {
        ClusterObject object = inDefaultNamespace(read);
        kinds.add(object.resourceKind());
        String name = object.resourceKind().objectKind() + " " + object.key();
        if (object.name().isEmpty() && !(object instanceof PodInfo)) {
            skip(
                    where,
                    object.resourceKind().objectKind()
                            + ": metadata.name: Required value: name or generateName is required");
        } else if (!seen.add(name)) {
            skip(where, name + " occurs twice; the first one is used");
        } else if (object instanceof Node node) {
            nodes.add(node);
        } else if (object instanceof PodInfo) {
            pods.add(new Entry(object, text));
        } else if (text != null) {
            claims.add(new Entry(object, text));
        } else {
            others.add(object);
        }
    }

    private ClusterSnapshot settle() {
        ClusterSnapshot known = settled;
        if (known == null) {
            known = settleNow();
            settled = known;
        }
        return known;
    }

    private @Nullable ClusterObject read(String kind, ObjectNode tree) throws IOException {
        try (TreeTraversingParser parser = new TreeTraversingParser(tree)) {
            parser.nextToken();
            return plain.read(parser, kind);
        }
    }

    /** Adds the pods that controllers would create for manifests of workloads. */
    private void createPods() {
        List<WorkloadFile> without = workloads.stream()
                .filter(workload -> pods.stream().noneMatch(pod -> WorkloadPods.owns(workload.tree(), pod.object())))
                .toList();
        for (WorkloadFile workload : without) {
            for (ObjectNode object : WorkloadPods.of(workload.tree(), nodes)) {
                String kind = object.path("kind").asText();
                try {
                    ClusterObject read = read(kind, object);
                    if (read != null) {
                        add(
                                workload.file(),
                                read,
                                LATE.contains(kind) ? ManifestObjects.written(workload.file(), kind, object) : null);
                    }
                } catch (IOException e) {
                    skip(workload.file(), workload.tree().path("kind").asText() + ": " + e.getMessage());
                }
            }
        }
    }

    private ClusterSnapshot settleNow() {
        createPods();
        Settlement settlement = new Settlement(
                completion(gates.at(creationRelease())), seen, (text, reason) -> skip(text.where(), reason));
        claims.forEach(settlement::claim);
        pods.forEach(settlement::pod);
        others.addAll(settlement.finish());
        ClusterSnapshot snapshot = new ClusterSnapshot(nodes, others, settlement.running(), settlement.pending());
        return (server == null ? snapshot : snapshot.withRelease(server)).withFeatures(features);
    }

    /** The release of the gates; if they are those of any release, the release of the nodes. */
    private Release creationRelease() {
        if (server != null && gates.release().equals(Release.NEWEST)) {
            return server;
        }
        return gates.release().equals(Release.NEWEST)
                ? new ClusterSnapshot(nodes, List.of(), List.of(), List.of())
                        .knownRelease()
                        .orElse(Release.NEWEST)
                : gates.release();
    }

    /** The object, with the namespace {@code default} if it has none. */
    static ClusterObject inDefaultNamespace(ClusterObject object) {
        return object.namespace().isEmpty() ? object.withNamespace(DEFAULT_NAMESPACE) : object;
    }

    /**
     * A kind of objects that a dump should contain: those that decisions read, and those that affect new objects. The documented
     * commands and permissions are generated from this list or compared with it.
     *
     * @param group API group, empty for the core group
     * @param plural name in paths and rights
     * @param versions that can be read, best first
     * @param objectKind field {@code kind} of its objects
     * @param since the first release that serves it by default, as its minor number
     */
    public record Kind(String group, String plural, List<String> versions, String objectKind, int since) {
        /** The short name of kubectl for the plural, which is more readable. */
        private static final Map<String, String> SHORT_NAMES = ImmutableMap.<String, String>builder()
                .put("replicationcontrollers", "rc")
                .put("replicasets", "rs")
                .put("statefulsets", "sts")
                .put("persistentvolumeclaims", "pvc")
                .put("persistentvolumes", "pv")
                .put("storageclasses", "sc")
                .put("poddisruptionbudgets", "pdb")
                .put("namespaces", "ns")
                .put("limitranges", "limits")
                .put("priorityclasses", "pc")
                .buildOrThrow();

        private static final Set<ResourceKind> ALWAYS_NEEDED =
                Sets.immutableEnumSet(ResourceKind.NODES, ResourceKind.PODS, ResourceKind.DISRUPTION_BUDGETS);

        private static final String DYNAMIC_GROUP = "resource.k8s.io";
        private static final int ALWAYS = 17;
        private static final int STORAGE_CAPACITIES = 21;
        private static final int DYNAMIC = 34;

        public Kind {
            versions = ImmutableList.copyOf(versions);
        }

        /** All kinds, in the order in which they are listed. */
        public static List<Kind> all() {
            ImmutableList.Builder<Kind> all = ImmutableList.builder();
            for (ResourceKind kind : ResourceKind.values()) {
                all.add(of(kind));
            }
            for (Objects.Kind kind : Objects.Kind.values()) {
                if (ResourceKind.ofObjectKind(kind.objectKind()) == null) {
                    Resource resource = Resource.of(kind);
                    all.add(new Kind(
                            resource.group(),
                            resource.plural(),
                            resource.versions(),
                            kind.objectKind(),
                            resource.group().equals(DYNAMIC_GROUP) ? DYNAMIC : ALWAYS));
                }
            }
            return all.build();
        }

        /**
         * The kinds of a dump for schedulers that read these kinds, besides nodes, pods, and disruption budgets: those that can
         * affect the objects of manifests.
         */
        public static List<Kind> neededFor(Set<ResourceKind> read) {
            ImmutableList.Builder<Kind> needed = ImmutableList.builder();
            for (Kind kind : all()) {
                ResourceKind known = ResourceKind.ofObjectKind(kind.objectKind());
                boolean isNeeded = known == null
                        ? !kind.group().equals(DYNAMIC_GROUP) || read.contains(ResourceKind.RESOURCE_CLAIMS)
                        : ALWAYS_NEEDED.contains(known) || read.contains(known);
                if (isNeeded) {
                    needed.add(kind);
                }
            }
            return needed.build();
        }

        /** The entry of a kind that decisions read. */
        public static Kind of(ResourceKind kind) {
            int since = kind == ResourceKind.STORAGE_CAPACITIES ? STORAGE_CAPACITIES : ALWAYS;
            return new Kind(
                    kind.group(),
                    kind.plural(),
                    kind.versions(),
                    kind.objectKind(),
                    kind.group().equals(DYNAMIC_GROUP) ? DYNAMIC : since);
        }

        /** The argument for kubectl. */
        public String kubectlName() {
            return SHORT_NAMES.getOrDefault(plural, plural);
        }

        /** All kinds as an argument for kubectl. */
        public static String kubectlList() {
            return all().stream().map(Kind::kubectlName).collect(Collectors.joining(","));
        }

        /** The command that prints the objects of this kind. */
        public String kubectl() {
            return "kubectl get " + kubectlName() + " -A -o json";
        }
    }

    /**
     * Completes the pods and claims of files after all files are read. As in an API server, objects from manifests get defaults
     * or are rejected, and claims and namespaces are created with pods.
     */
    static final class Settlement {
        private final ManifestObjects.Completion completion;
        private final Set<String> seen;
        private final BiConsumer<ManifestObjects.Written, String> skipped;
        private final List<ClusterObject> others = new ArrayList<>();
        private final List<ClusterObject> generated = new ArrayList<>();
        private final List<PodInfo> running = new ArrayList<>();
        private final List<PodInfo> pending = new ArrayList<>();
        private final Set<String> namespaces = new TreeSet<>();

        /**
         * An empty instance.
         *
         * @param seen kind and key of all existing objects; grows
         * @param skipped receives skipped objects with the reason
         */
        Settlement(
                ManifestObjects.Completion completion,
                Set<String> seen,
                BiConsumer<ManifestObjects.Written, String> skipped) {
            this.completion = completion;
            this.seen = seen;
            this.skipped = skipped;
        }

        void claim(Dump.Entry entry) {
            settled(entry, generated).ifPresent(others::add);
        }

        void pod(Dump.Entry entry) {
            List<ClusterObject> ofPod = new ArrayList<>();
            if (!(settled(entry, ofPod).orElse(null) instanceof PodInfo read)) {
                return;
            }
            PodInfo pod =
                    read.uid().isEmpty() ? read.toBuilder().uid(read.key()).build() : read;
            if (pod.isFinished()) {
                return;
            }
            if (entry.written() != null) {
                namespaces.add(pod.namespace());
            }
            if (!pod.nodeName().isEmpty()) {
                running.add(pod);
                generated.addAll(ofPod);
            } else if (!pod.terminating()) {
                pending.add(pod);
                generated.addAll(ofPod);
            }
        }

        /** The completed objects besides pods, with the generated ones. */
        List<ClusterObject> finish() {
            for (ClusterObject claim : generated) {
                if (seen.add(claim.resourceKind().objectKind() + " " + claim.key())) {
                    others.add(claim);
                }
            }
            namespaces.forEach(this::addNamespace);
            return others;
        }

        /** A pod cannot be created in a namespace that does not exist. */
        private void addNamespace(String name) {
            if (seen.add("Namespace " + name)) {
                ObjectNode namespace = JsonNodeFactory.instance.objectNode();
                namespace.putObject("metadata").put("name", name);
                ClusterObject completed =
                        complete(ManifestObjects.written(name, "Namespace", namespace), new ArrayList<>());
                if (completed != null) {
                    others.add(completed);
                }
            }
        }

        private Optional<ClusterObject> settled(Dump.Entry entry, List<ClusterObject> made) {
            ManifestObjects.Written text = entry.written();
            if (text == null) {
                return Optional.of(entry.object());
            }
            return Optional.ofNullable(complete(text, made)).map(Dump::inDefaultNamespace);
        }

        /** Null if it cannot be created. */
        private @Nullable ClusterObject complete(ManifestObjects.Written text, List<ClusterObject> made) {
            try {
                return completion.complete(text, made);
            } catch (RejectedException | IOException e) {
                skipped.accept(text, MissingObjectText.refused(text, e));
                return null;
            }
        }

        List<PodInfo> running() {
            return running;
        }

        List<PodInfo> pending() {
            return pending;
        }
    }

    /** The warnings about missing objects that other objects refer to. */
    static final class MissingObjectText {
        private MissingObjectText() {}

        /** Returns the warning about a class that a manifest names. */
        static String ofClass(Objects.Kind kind, String name) {
            String fix = "to add it, run kubectl get " + Resource.of(kind).plural() + " -o json";
            if (kind == Objects.Kind.RESOURCE_CLAIM_TEMPLATE) {
                return "W151 " + kind.objectKind() + " " + name
                        + " is not in the files: pods that name it wait for their"
                        + " claims, as in a cluster without it; " + fix;
            }
            String without = switch (kind) {
                case PRIORITY_CLASS -> "pods that name it have priority 0 here";
                case RUNTIME_CLASS -> "pods that name it have no overhead and no node selector from it here";
                case LIMIT_RANGE, STORAGE_CLASS, RESOURCE_CLAIM_TEMPLATE -> "it is ignored here";
            };
            return "W151 " + kind.objectKind() + " " + name + " is not in the files: " + without
                    + ", whereas an API server rejects them; " + fix;
        }

        /** Returns the warning about classes that may not be listed. */
        static String denied(String plural) {
            return "W150 permission to list " + plural + " is missing: new pods are scheduled as if there were none";
        }

        /** Returns the warning about an object that an API server would reject. */
        static String refused(ManifestObjects.Written object, Exception reason) {
            return "W152 an API server would reject " + object.kind() + " " + object.name() + ": "
                    + reason.getMessage();
        }
    }
}
