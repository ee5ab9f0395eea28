package io.policyscheduler.cmd.options;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A percentage, or a fraction of 1. */
public final class ShareConverter implements ITypeConverter<Double> {
    private static final Pattern FORM = Pattern.compile("([0-9]{1,9}(?:\\.[0-9]{1,15})?)(%?)");
    private static final double PERCENT = 100;

    /**
     * The share that a text means, 0 to 1.
     *
     * @throws IllegalArgumentException when it means none; the message is for users
     */
    public static double share(String text) {
        try {
            return new ShareConverter().convert(text);
        } catch (TypeConversionException e) {
            throw new IllegalArgumentException(String.valueOf(e.getMessage()), e);
        }
    }

    @Override
    public Double convert(String value) {
        Matcher matcher = FORM.matcher(value);
        if (!matcher.matches()) {
            throw new TypeConversionException("'" + value + "' is not a share (such as 0.1% or 0.001)");
        }
        double number = Double.parseDouble(matcher.group(1));
        double share = matcher.group(2).isEmpty() ? number : number / PERCENT;
        if (share > 1) {
            throw new TypeConversionException("'" + value + "' is more than all"
                    + (matcher.group(2).isEmpty() && number <= PERCENT ? "; did you mean \"" + value + "%\"?" : ""));
        }
        return share;
    }
}
