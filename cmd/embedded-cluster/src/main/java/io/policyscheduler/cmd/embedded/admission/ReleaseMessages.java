package io.policyscheduler.cmd.embedded.admission;

import io.policyscheduler.cmd.embedded.api.ObjectKey.Names;
import io.policyscheduler.cmd.embedded.api.StatusError.Cause;
import io.policyscheduler.engine.cluster.release.Release;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The messages of validation that later releases word in another way. Validation itself writes those of 1.20. The releases are those
 * with recorded responses, 1.34 and 1.36; the change itself may be older.
 */
final class ReleaseMessages {
    private static final Pattern LABEL =
            Pattern.compile("Invalid value: \"([^\"]*)\": " + Pattern.quote(Names.LABEL_RULE));

    private static final Pattern DRIVER =
            Pattern.compile("spec\\.attacher|spec\\.drivers\\[\\d+]\\.name|.*csi\\.driver");

    /**
     * A change of a part of messages.
     *
     * @param since the first minor release with it
     * @param fields a pattern of the paths that it is about
     */
    private record Change(int since, Pattern fields, String before, String after) {
        static Change of(int since, String before, String after) {
            return new Change(since, Pattern.compile(".*"), before, after);
        }
    }

    private static final List<Change> CHANGES = List.of(
            Change.of(34, ": kind must not be empty", ": must not be empty"),
            Change.of(34, ": name must not be empty", ": must not be empty"),
            Change.of(34, ": uid must not be empty", ": must not be empty"),
            Change.of(34, "at least one letter or number (a-z, 0-9)", "at least one letter (a-z)"),
            Change.of(34, "must be valid IP address", FieldErrors.IP_RULE),
            Change.of(34, "not a valid CIDR", FieldErrors.CIDR_RULE),
            Change.of(34, "range (127.0.0.0/8)", "range (127.0.0.0/8, ::1/128)"),
            Change.of(34, "range (169.254.0.0/16)", "range (169.254.0.0/16, fe80::/10)"),
            Change.of(34, "range (224.0.0.0/24)", "range (224.0.0.0/24, ff02::/10)"),
            Change.of(36, "`configMapKeyRef` or `secretKeyRef`", "`configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"),
            new Change(
                    36,
                    Pattern.compile(".*([lL]abels|nodeSelector)"),
                    "a qualified name must consist",
                    "a valid label key must consist"),
            new Change(36, Pattern.compile(".*[lL]abels"), "no more than 63 characters", "no more than 63 bytes"));

    private ReleaseMessages() {}

    /** Returns the errors with the messages of a release. */
    static List<Cause> of(List<Cause> causes, Release release) {
        return causes.stream()
                .filter(cause -> !release.atLeast(36) || !isOfMissingDriver(cause, causes))
                .map(cause -> of(cause, release))
                .toList();
    }

    /** Later releases do not validate the form of the name of a driver that is missing. */
    private static boolean isOfMissingDriver(Cause cause, List<Cause> causes) {
        return DRIVER.matcher(cause.field()).matches()
                && cause.message().startsWith("Invalid value: \"\": ")
                && causes.stream()
                        .anyMatch(other -> other.field().equals(cause.field())
                                && other.reason().equals("FieldValueRequired"));
    }

    private static Cause of(Cause cause, Release release) {
        String message = cause.message();
        for (Change change : CHANGES) {
            if (release.atLeast(change.since())
                    && change.fields().matcher(cause.field()).matches()) {
                message = message.replace(change.before(), change.after());
            }
        }
        Matcher label = LABEL.matcher(message);
        if (release.atLeast(34) && label.matches() && Names.isSubdomain(label.group(1))) {
            message = "Invalid value: \"" + label.group(1) + "\": must not contain dots";
        }
        // The path of one secret had a space.
        String field = release.atLeast(34) ? cause.field().replace("Ref .", "Ref.") : cause.field();
        return new Cause(field, cause.reason(), message);
    }
}
