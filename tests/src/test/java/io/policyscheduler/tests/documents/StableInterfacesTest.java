package io.policyscheduler.tests.documents;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.framework.plugin.EnqueueExtensions;
import io.policyscheduler.framework.plugin.Plugin;
import io.policyscheduler.framework.plugin.PluginFactory;
import io.policyscheduler.framework.plugin.PluginProvider;
import io.policyscheduler.framework.plugin.RequeueHints;
import io.policyscheduler.tests.RepositoryFiles;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Compares the stable interfaces with the recorded ones: flags, settings, metrics, codes, exit codes, JSON schemas, and the Java types for
 * plugins and for other programs. {@code docs/compatibility.md} describes the rules.
 */
class StableInterfacesTest {
    private static final Path ROOT = RepositoryFiles.root();
    private static final Path BASELINE = ROOT.resolve("tests/src/test/resources/stable-interfaces.txt");
    /** A build that packages the modules has their test classes in JARs. */
    private static final ImportOption NO_TEST_JARS = location -> !location.contains("-tests.jar");

    private static final String RENEW = "mvn test -pl tests -Dtest=StableInterfacesTest -Drenew=true";

    @Test
    void nothingStableIsRemovedOrChanged() throws IOException {
        SortedSet<String> now = current();
        if (Boolean.getBoolean("renew")) {
            Files.write(BASELINE, now);
        }
        SortedSet<String> recorded = new TreeSet<>(Files.readAllLines(BASELINE));
        assertEquals(
                List.of(),
                incompatible(recorded, now),
                "These interfaces are stable. Keep them, or follow docs/compatibility.md. If no release has them yet: "
                        + RENEW);
        if (Boolean.getBoolean("interfaces.complete")) {
            assertEquals(recorded, now, "a release records all of its interfaces: " + RENEW);
        }
    }

    @Test
    void everyKindOfInterfaceIsRecorded() throws IOException {
        SortedSet<String> now = current();
        for (String line : List.of(
                "api io.policyscheduler.embedded.TestCluster.url(): java.net.URI",
                "api io.policyscheduler.engine.cluster.object.PodInfo.uid(): java.lang.String",
                "api io.policyscheduler.framework.plugin.FilterPlugin.filter(CycleState, PodInfo, NodeInfo): Status abstract",
                "api io.policyscheduler.scheduling.SchedulingEngine.of(java.lang.String): SchedulingEngine",
                "code W023",
                "exit 3 BAD_INPUT",
                "flag simulate --cluster",
                "flag simulate -n",
                "metric scheduler_pending_pods gauge",
                "metric scheduler_pending_pods label queue",
                "policy-files/schema/policy.schema.json #predicate.name",
                "schema simulate pods[].node",
                "schema simulate pods[].node required",
                "setting --tie-break default round-robin",
                "setting --tie-break variable POLICY_SCHEDULER_TIE_BREAK",
                "setting --leader-elect file leaderElection.leaderElect")) {
            assertTrue(now.contains(line), line);
        }
    }

    @Test
    void removedAndChangedLinesAndNewDutiesOfPluginsAreIncompatible() {
        String type = "api " + Plugin.class.getName() + " interface";
        String filter = "api " + Plugin.class.getName() + ".name(): java.lang.String abstract";
        String duty = "api " + Plugin.class.getName() + ".age(): long abstract";
        String offer = "api io.policyscheduler.framework.plugin.PluginHandle.age(): long abstract";
        assertEquals(
                List.of(),
                incompatible(lines("code W001", filter), lines("code W001", "code W002", type, filter, offer)));
        assertEquals(List.of("removed: code W001"), incompatible(lines("code W001"), lines("code W002")));
        assertEquals(
                List.of("plugins must implement: " + duty),
                incompatible(lines(type, filter), lines(type, filter, duty)));
        assertEquals(
                List.of("removed: schema why pod required"),
                incompatible(lines("schema why pod", "schema why pod required"), lines("schema why pod")));
    }

    private static SortedSet<String> lines(String... lines) {
        return new TreeSet<>(List.of(lines));
    }

    /** Returns what breaks users of the recorded interfaces. */
    static List<String> incompatible(SortedSet<String> recorded, SortedSet<String> now) {
        List<String> problems = new ArrayList<>();
        recorded.stream().filter(line -> !now.contains(line)).forEach(line -> problems.add("removed: " + line));
        now.stream()
                .filter(line -> !recorded.contains(line) && line.endsWith(" abstract"))
                .filter(line ->
                        ImplementedByPlugins.NAMES.stream().anyMatch(name -> line.startsWith("api " + name + ".")))
                // A new interface has no implementations yet.
                .filter(line ->
                        recorded.contains(line.substring(0, line.lastIndexOf('.', line.indexOf('('))) + " interface"))
                .forEach(line -> problems.add("plugins must implement: " + line));
        return problems;
    }

    private static SortedSet<String> current() throws IOException {
        SortedSet<String> lines = new TreeSet<>();
        addFlags(lines);
        addSettings(lines);
        addMetrics(lines);
        addCodes(lines);
        addExitCodes(lines);
        addSchemas(lines);
        new JavaInterfaces(lines).add();
        return lines;
    }

    /** The generated pages contain them, and other tests compare the pages with the program. */
    private static void addFlags(SortedSet<String> lines) throws IOException {
        for (Path page : files("docs/commands", ".md")) {
            String command = page.getFileName().toString().replace(".md", "").replace("-", " ");
            for (List<String> row : rows(page)) {
                codes(row.get(0))
                        .filter(code -> code.startsWith("-"))
                        .forEach(flag -> lines.add("flag " + command + " " + flag));
            }
        }
    }

    private static void addSettings(SortedSet<String> lines) throws IOException {
        for (List<String> row : rows(ROOT.resolve("docs/settings.md"))) {
            if (row.size() < 6 || !row.get(0).startsWith("`--")) {
                continue;
            }
            List<String> flags = codes(row.get(0)).toList();
            String setting = "setting " + flags.get(0);
            flags.forEach(flag -> lines.add(setting + " flag " + flag));
            codes(row.get(2)).forEach(value -> lines.add(setting + " default " + value));
            codes(row.get(4)).forEach(variable -> lines.add(setting + " variable " + variable));
            codes(row.get(5)).forEach(field -> lines.add(setting + " file " + field));
        }
    }

    private static void addMetrics(SortedSet<String> lines) throws IOException {
        for (List<String> row : rows(ROOT.resolve("docs/metrics.md"))) {
            if (row.size() < 4 || !row.get(0).startsWith("`")) {
                continue;
            }
            String metric = "metric " + codes(row.get(0)).findFirst().orElseThrow();
            lines.add(metric + " " + row.get(1));
            codes(row.get(2)).forEach(label -> lines.add(metric + " label " + label));
        }
    }

    private static void addCodes(SortedSet<String> lines) throws IOException {
        Matcher code = Pattern.compile("(?m)^\\| ([PWRCLM]\\d{3}) \\|")
                .matcher(Files.readString(ROOT.resolve("docs/codes.md")));
        while (code.find()) {
            lines.add("code " + code.group(1));
        }
    }

    private static void addExitCodes(SortedSet<String> lines) {
        for (Field field : ExitCode.class.getFields()) {
            try {
                lines.add("exit " + field.getInt(null) + " " + field.getName());
            } catch (IllegalAccessException impossible) {
                throw new IllegalStateException(impossible);
            }
        }
    }

    private static void addSchemas(SortedSet<String> lines) throws IOException {
        ObjectMapper json = new ObjectMapper();
        for (Path schema : files("docs/schemas", ".schema.json")) {
            String name = schema.getFileName().toString().replace(".schema.json", "");
            addSchema("schema " + name + " ", "", json.readTree(schema.toFile()), lines);
        }
        for (Path schema : files("policy-files/schema", ".schema.json")) {
            SortedSet<String> input = new TreeSet<>();
            addSchema(ROOT.relativize(schema) + " ", "", json.readTree(schema.toFile()), input);
            // A field of an input is optional; the tests of policies show that no new one is required.
            input.removeIf(line -> line.endsWith(" required"));
            lines.addAll(input);
        }
    }

    private static void addSchema(String name, String place, JsonNode schema, SortedSet<String> lines) {
        String dot = place.isEmpty() ? "" : place + ".";
        schema.path("properties").properties().forEach(property -> {
            lines.add(name + dot + property.getKey());
            addSchema(name, dot + property.getKey(), property.getValue(), lines);
        });
        schema.path("required").forEach(property -> lines.add(name + dot + property.asText() + " required"));
        schema.path("enum").forEach(value -> lines.add(name + place + " value " + value.asText()));
        addSchema(name, place + "[]", schema, "items", lines);
        addSchema(name, place + "{}", schema, "additionalProperties", lines);
        for (String group : List.of("$defs", "definitions")) {
            schema.path(group)
                    .properties()
                    .forEach(each -> addSchema(name, "#" + each.getKey(), each.getValue(), lines));
        }
        for (String group : List.of("oneOf", "anyOf", "allOf")) {
            schema.path(group).forEach(each -> addSchema(name, place, each, lines));
        }
        JsonNode reference = schema.path("$ref");
        if (reference.isTextual()) {
            lines.add(name + place + " as " + reference.asText());
        }
    }

    private static void addSchema(String name, String place, JsonNode schema, String field, SortedSet<String> lines) {
        if (schema.path(field).isObject()) {
            addSchema(name, place, schema.get(field), lines);
        }
    }

    private static List<Path> files(String folder, String suffix) throws IOException {
        try (Stream<Path> files = Files.list(ROOT.resolve(folder))) {
            return files.filter(file -> file.toString().endsWith(suffix))
                    .sorted()
                    .toList();
        }
    }

    /** Returns the cells of all tables of a page. */
    private static List<List<String>> rows(Path page) throws IOException {
        return Files.readAllLines(page).stream()
                .filter(line -> line.startsWith("| "))
                .map(line -> Arrays.stream(line.substring(2).split("(?<!\\\\)\\|", -1))
                        .map(String::strip)
                        .toList())
                .toList();
    }

    private static Stream<String> codes(String cell) {
        return Pattern.compile("`([^`]+)`").matcher(cell).results().map(match -> match.group(1));
    }

    /** Interfaces that plugins implement, so that a new abstract method breaks them. */
    private static final class ImplementedByPlugins {
        private static final Set<String> NAMES = new ClassFileImporter()
                        .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                        .withImportOption(NO_TEST_JARS)
                        .importPackages(Plugin.class.getPackageName())
                        .stream()
                        .filter(type -> type.isInterface()
                                && (type.isAssignableTo(Plugin.class)
                                        || type.isEquivalentTo(PluginProvider.class)
                                        || type.isEquivalentTo(PluginFactory.class)
                                        || type.isEquivalentTo(RequeueHints.class)
                                        || type.isEquivalentTo(EnqueueExtensions.class)))
                        .map(JavaClass::getName)
                        .collect(Collectors.toUnmodifiableSet());
    }

    /** Returns the public members of the stable packages, and of the types that these use. */
    private static final class JavaInterfaces {
        private static final List<String> PACKAGES = List.of(
                "io.policyscheduler.embedded", "io.policyscheduler.framework.plugin", "io.policyscheduler.scheduling");

        /** Members for built-in plugins only, which share caches with the framework. */
        private static final Set<String> INTERNAL =
                Set.of("AssumedClaims", "AssumedVolumes", "Builder", "FeatureGates", "NewerField", "RequestRules");

        private static final String INTERNAL_PACKAGE = "io.policyscheduler.engine.cluster.index";

        private final SortedSet<String> lines;
        private final Deque<Class<?>> open = new ArrayDeque<>();
        private final Set<Class<?>> seen = new HashSet<>();

        JavaInterfaces(SortedSet<String> lines) {
            this.lines = lines;
        }

        void add() {
            new ClassFileImporter()
                            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                            .withImportOption(NO_TEST_JARS)
                            .importPackages(PACKAGES)
                            .stream()
                            .map(JavaClass::reflect)
                            .forEach(this::visit);
            while (!open.isEmpty()) {
                members(open.pop());
            }
        }

        private void visit(Type type) {
            if (type instanceof ParameterizedType generic) {
                visit(generic.getRawType());
                Arrays.stream(generic.getActualTypeArguments()).forEach(this::visit);
            } else if (type instanceof Class<?> array && array.isArray()) {
                visit(array.getComponentType());
            } else if (type instanceof Class<?> one
                    && one.getName().startsWith("io.policyscheduler.")
                    && isPublic(one)
                    && !isInternal(one)
                    && seen.add(one)) {
                open.push(one);
            }
        }

        private static boolean isPublic(Class<?> type) {
            return Modifier.isPublic(type.getModifiers())
                    && (type.getEnclosingClass() == null || isPublic(type.getEnclosingClass()));
        }

        private void members(Class<?> type) {
            String name = "api " + type.getName();
            lines.add(name
                    + (type.isInterface()
                            ? " interface"
                            : type.isEnum() ? " enum" : type.isRecord() ? " record" : " class"));
            for (Class<?> parent : type.getInterfaces()) {
                if (parent.getName().startsWith("io.policyscheduler.")) {
                    lines.add(name + " is " + parent.getName());
                    visit(parent);
                }
            }
            for (Field field : type.getFields()) {
                if (field.getDeclaringClass() == type && !isInternal(field.getGenericType())) {
                    lines.add(name + "." + field.getName() + ": " + text(field.getGenericType()));
                    visit(field.getGenericType());
                }
            }
            for (Method method : type.getDeclaredMethods()) {
                if (!Modifier.isPublic(method.getModifiers())
                        || method.isSynthetic()
                        || method.isBridge()
                        || ofEveryType(method)
                        || isInternal(method.getGenericReturnType())
                        || isInternal(method.getGenericParameterTypes())) {
                    continue;
                }
                lines.add(name + "." + method.getName() + texts(method.getGenericParameterTypes()) + ": "
                        + text(method.getGenericReturnType())
                        + (Modifier.isAbstract(method.getModifiers()) ? " abstract" : ""));
                visit(method.getGenericReturnType());
                Arrays.stream(method.getGenericParameterTypes()).forEach(this::visit);
            }
            // Plugins receive cluster objects, and do not create any.
            if (PACKAGES.contains(type.getPackageName())) {
                for (Constructor<?> constructor : type.getConstructors()) {
                    if (!isInternal(constructor.getGenericParameterTypes())) {
                        lines.add(name + ".new" + texts(constructor.getGenericParameterTypes()));
                    }
                }
            }
        }

        private static boolean isInternal(Type... types) {
            for (Type type : types) {
                boolean found = type instanceof ParameterizedType generic
                        ? isInternal(generic.getRawType()) || isInternal(generic.getActualTypeArguments())
                        : type instanceof Class<?> one
                                && (one.getPackageName().equals(INTERNAL_PACKAGE)
                                        || INTERNAL.contains(one.getSimpleName()));
                if (found) {
                    return true;
                }
            }
            return false;
        }

        private static boolean ofEveryType(Method method) {
            return Set.of("equals", "hashCode", "toString").contains(method.getName());
        }

        private static String texts(Type[] types) {
            return Arrays.stream(types).map(JavaInterfaces::text).collect(Collectors.joining(", ", "(", ")"));
        }

        /** Packages of our own types are omitted, because no two types have the same name. */
        private static String text(Type type) {
            return type.getTypeName().replaceAll("io\\.policyscheduler\\.[a-z.]+\\.", "");
        }
    }
}
