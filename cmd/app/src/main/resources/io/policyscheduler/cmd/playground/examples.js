// What to begin with.

export const EXAMPLES = [
  {title: 'a node with 4 cores in zone a', yaml: `apiVersion: v1
kind: Node
metadata:
  name: node-a1
  labels:
    kubernetes.io/hostname: node-a1
    topology.kubernetes.io/zone: a
status:
  capacity: {cpu: "4", memory: 16Gi, pods: "110"}
  allocatable: {cpu: "4", memory: 16Gi, pods: "110"}
  conditions:
    - {type: Ready, status: "True"}
`},
  {title: 'two nodes, one with a taint', yaml: `apiVersion: v1
kind: Node
metadata:
  name: node-b1
  labels: {kubernetes.io/hostname: node-b1, topology.kubernetes.io/zone: b}
status:
  allocatable: {cpu: "8", memory: 32Gi, pods: "110"}
  capacity: {cpu: "8", memory: 32Gi, pods: "110"}
  conditions: [{type: Ready, status: "True"}]
---
apiVersion: v1
kind: Node
metadata:
  name: node-b2
  labels: {kubernetes.io/hostname: node-b2, topology.kubernetes.io/zone: b}
spec:
  taints: [{key: dedicated, value: batch, effect: NoSchedule}]
status:
  allocatable: {cpu: "2", memory: 4Gi, pods: "110"}
  capacity: {cpu: "2", memory: 4Gi, pods: "110"}
  conditions: [{type: Ready, status: "True"}]
`},
  {title: 'a pod that requests 500m CPU', yaml: `apiVersion: v1
kind: Pod
metadata:
  name: web
  labels: {app: web}
spec:
  containers:
    - name: web
      image: nginx
      resources:
        requests: {cpu: 500m, memory: 256Mi}
`},
  {title: 'a pod for zone a that tolerates a taint', yaml: `apiVersion: v1
kind: Pod
metadata:
  generateName: picky-
spec:
  nodeSelector: {topology.kubernetes.io/zone: a}
  tolerations:
    - {key: dedicated, operator: Exists}
  containers:
    - name: main
      image: busybox
      resources:
        requests: {cpu: "1"}
`},
  {title: 'a Deployment with 3 replicas', yaml: `apiVersion: apps/v1
kind: Deployment
metadata:
  name: shop
spec:
  replicas: 3
  selector:
    matchLabels: {app: shop}
  template:
    metadata:
      labels: {app: shop}
    spec:
      containers:
        - name: shop
          image: nginx
          resources:
            requests: {cpu: "1", memory: 1Gi}
`},
  {title: 'a Deployment that spreads over zones', yaml: `apiVersion: apps/v1
kind: Deployment
metadata:
  name: spread
spec:
  replicas: 4
  selector:
    matchLabels: {app: spread}
  template:
    metadata:
      labels: {app: spread}
    spec:
      topologySpreadConstraints:
        - maxSkew: 1
          topologyKey: topology.kubernetes.io/zone
          whenUnsatisfiable: DoNotSchedule
          labelSelector:
            matchLabels: {app: spread}
      containers:
        - name: main
          image: nginx
`},
  {title: 'a PriorityClass and a pod that uses it', yaml: `apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata:
  name: important
value: 1000
---
apiVersion: v1
kind: Pod
metadata:
  name: important
spec:
  priorityClassName: important
  containers:
    - name: main
      image: nginx
      resources:
        requests: {cpu: "3"}
`},
];
