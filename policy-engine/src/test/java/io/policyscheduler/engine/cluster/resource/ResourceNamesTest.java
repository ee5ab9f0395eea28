package io.policyscheduler.engine.cluster.resource;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ResourceNamesTest {
    @ParameterizedTest
    @CsvSource({
        "cpu,                           true,  false, false",
        "memory,                        true,  false, false",
        "storage,                       true,  false, false",
        "foo,                           true,  false, false",
        "'',                            true,  false, false",
        "requests.cpu,                  true,  false, false",
        "hugepages-2Mi,                 true,  false, true",
        "hugepages-,                    true,  false, true",
        "attachable-volumes-csi-x,      true,  false, true",
        "kubernetes.io/foo,             true,  false, true",
        "alpha.kubernetes.io/nvidia-gpu,true,  false, true",
        "example.kubernetes.io/x,       true,  false, true",
        "xkubernetes.io/x,              true,  false, true",
        "nvidia.com/gpu,                false, true,  true",
        "foo/bar,                       false, true,  true",
        "example.com/foo_bar.baz,       false, true,  true",
        "requests.nvidia.com/gpu,       false, false, false",
        "Foo.com/bar,                   false, false, false",
        "a/b/c,                         false, false, false",
        "/bar,                          false, false, false",
        "foo/,                          false, false, false",
        "foo/-x,                        false, false, false",
        "foo bar/x,                     false, false, false",
    })
    void classes(String name, boolean isNative, boolean extended, boolean scalar) {
        assertEquals(isNative, ResourceNames.isNative(name), "native");
        assertEquals(extended, ResourceNames.isExtended(name), "extended");
        assertEquals(scalar, ResourceNames.isScalar(name), "scalar");
    }
}
