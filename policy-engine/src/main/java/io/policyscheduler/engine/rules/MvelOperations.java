package io.policyscheduler.engine.rules;

import java.util.List;

/** What the emitted text calls for operations that MVEL has no safe form of. Public only because MVEL calls it. */
public final class MvelOperations {
    private final MvelRun run;

    MvelOperations(MvelRun run) {
        this.run = run;
    }

    public boolean boolPart(int part) {
        return (Boolean) run.part(part);
    }

    public double numberPart(int part) {
        return (Double) run.part(part);
    }

    public String stringPart(int part) {
        return (String) run.part(part);
    }

    public double finite(double value) {
        return Arithmetics.finite(value);
    }

    public double divisor(double value) {
        return Arithmetics.divisor(value);
    }

    /** Both are of one type; numbers are boxed by MVEL. */
    public boolean equal(Object left, Object right) {
        return left.equals(right);
    }

    public boolean contains(String text, String part) {
        return text.contains(part);
    }

    public boolean startsWith(String text, String part) {
        return text.startsWith(part);
    }

    public boolean endsWith(String text, String part) {
        return text.endsWith(part);
    }

    public boolean matches(int pattern, String text) {
        return run.pattern(pattern).matches(text);
    }

    public boolean isNumber(String text) {
        return !Double.isNaN(QuantityText.parse(text));
    }

    public double number(String text) {
        return QuantityText.parse(text);
    }

    public double size(List<?> list) {
        return list.size();
    }

    public boolean any(int body, List<?> list) {
        for (Object element : run.checked(body, list)) {
            if ((Boolean) run.body(body, element)) {
                return true;
            }
        }
        return false;
    }

    public boolean all(int body, List<?> list) {
        for (Object element : run.checked(body, list)) {
            if (!(Boolean) run.body(body, element)) {
                return false;
            }
        }
        return true;
    }

    public double count(int body, List<?> list) {
        long count = 0;
        for (Object element : run.checked(body, list)) {
            if ((Boolean) run.body(body, element)) {
                count++;
            }
        }
        return count;
    }

    public double sum(int body, List<?> list) {
        double sum = 0;
        for (Object element : run.checked(body, list)) {
            sum = Arithmetics.finite(sum + (Double) run.body(body, element));
        }
        return sum;
    }

    public double max(int body, List<?> list) {
        double max = 0;
        boolean first = true;
        for (Object element : run.checked(body, list)) {
            double value = (Double) run.body(body, element);
            if (first || value > max) {
                max = value;
            }
            first = false;
        }
        return max;
    }
}
