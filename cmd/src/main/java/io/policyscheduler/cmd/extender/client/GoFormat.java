package io.policyscheduler.cmd.extender.client;

/** What Go's {@code Sprintf} makes of a text that was never meant to be a format. */
final class GoFormat {
    private GoFormat() {}

    /** The text taken as a format without arguments: {@code 50% no} becomes {@code 50%!n(MISSING)o}. */
    static String withoutArguments(String format) {
        StringBuilder text = new StringBuilder(format.length());
        int i = 0;
        while (i < format.length()) {
            char c = format.charAt(i++);
            if (c != '%') {
                text.append(c);
                continue;
            }
            while (i < format.length() && isModifier(format.charAt(i))) {
                i++;
            }
            if (i == format.length()) {
                text.append("%!(NOVERB)");
                break;
            }
            int verb = format.codePointAt(i);
            i += Character.charCount(verb);
            if (verb == '%') {
                text.append('%');
            } else {
                text.append("%!").appendCodePoint(verb).append("(MISSING)");
            }
        }
        return text.toString();
    }

    /** Flags, width and precision. */
    private static boolean isModifier(char c) {
        return "+-# .".indexOf(c) >= 0 || (c >= '0' && c <= '9');
    }
}
