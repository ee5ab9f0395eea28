package io.policyscheduler.tests.deploy;

import java.nio.file.Path;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** The manifests on a real kube-apiserver. */
@Tag("real")
class RealDeploymentTest {
    @Nested
    class Schedulers extends DeployedSchedulers {
        Schedulers(@TempDir Path folder) {
            super(folder, new RealRoleServer(folder));
        }
    }

    @Nested
    class Devices extends DeployedDevices {
        Devices(@TempDir Path folder) {
            super(folder, new RealRoleServer(folder, "1.36"));
        }
    }

    @Nested
    class Readers extends DeployedReaders {
        Readers(@TempDir Path folder) {
            super(folder, new RealRoleServer(folder));
        }
    }

    @Nested
    class SecurePort extends DeployedSecurePort {
        SecurePort(@TempDir Path folder) {
            super(folder, new RealRoleServer(folder));
        }
    }
}
