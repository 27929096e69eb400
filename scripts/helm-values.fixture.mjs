// Values with which deploy/helm/ringback is tested.
/** Variables that the chart sets itself. */
export const chartVariables = [
  'PUBLIC_URL',
  'API_PATH',
  'BASE_URL',
  'PORT',
  'HEALTH_PORT',
  'WORKER_ROLES',
  'BRIDGE_URL',
];
/** Variables that Node, the C library and the like read. */
export const foreignVariables = ['NODE_OPTIONS', 'UV_THREADPOOL_SIZE', 'RES_OPTIONS', 'NODE_EXTRA_CA_CERTS'];

export const minimal = {
  image: { repository: 'registry.example.com/ringback' },
  publicUrl: 'https://ringback.example.com',
  existingSecret: 'ringback',
};

const namespaced = (name) => ({ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } } });

const everything = {
  ...minimal,
  image: { ...minimal.image, tag: `0.1.0@sha256:${'0'.repeat(64)}`, pullSecrets: [{ name: 'registry' }] },
  secrets: {
    DATABASE_URL: { name: 'ringback-db-app', key: 'uri' },
    OTEL_EXPORTER_OTLP_HEADERS: { key: 'OTEL_EXPORTER_OTLP_HEADERS' },
  },
  config: {
    API_RATE_LIMIT_PER_MINUTE: 1_000_000,
    RETRY_TIME_SCALE: 0.5,
    PAUSE_ON_410: false,
    RETENTION_DAYS: 0,
    CALLBACK_TIMEOUT_MS: 60_000,
    EGRESS_PROXY: 'http://proxy:3128',
    EGRESS_ALLOWED_CIDRS: '10.1.0.0/16',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
  },
  caCertificates: { configMap: 'authority' },
  api: {
    autoscaling: { type: 'cpu' },
    config: { LOG_LEVEL: 'debug' },
    nodeSelector: { pool: 'web' },
    priorityClassName: 'high',
    podLabels: { team: 'a' },
    podAnnotations: { 'example.com/a': 'b' },
  },
  worker: {
    autoscaling: { type: 'keda', prometheusUrl: 'http://prometheus:9090', matchers: 'namespace="default"' },
    config: { WORKER_CONCURRENCY: 400 },
    tolerations: [{ key: 'egress', operator: 'Exists' }],
    affinity: { nodeAffinity: {} },
  },
  workers: [
    { name: 'ingest', roles: ['ingest'] },
    { name: 'sms', roles: ['deliver-sms'], config: { WORKER_CONCURRENCY: 300 }, nodeSelector: { egress: 'fixed' } },
    { name: 'rcs', roles: ['deliver-rcs'], autoscaling: { type: 'cpu' } },
    // The old name of `maintain`.
    { name: 'rest', roles: ['verify', 'maintain'], replicas: 0, autoscaling: { type: 'none' } },
  ],
  bridge: { enabled: true, queue: 'delivery-reports', event: 'sms:message:status', config: { LOG_LEVEL: 'warn' } },
  ingress: { enabled: true, className: 'nginx', annotations: { 'example.com/a': 'b' }, tlsSecret: 'tls' },
  networkPolicy: {
    enabled: true,
    apiFrom: [namespaced('ingress')],
    metricsFrom: [namespaced('monitoring')],
    egress: [{ to: [{ ipBlock: { cidr: '10.0.0.5/32' } }], ports: [{ port: 5432 }, { port: 6379 }] }],
  },
  serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
  prometheusRule: { enabled: true, labels: { release: 'prometheus' } },
  grafanaDashboard: { enabled: true },
};

const withoutRedis = {
  ...minimal,
  secrets: { REDIS_URL: { key: '' }, SECRETS_KEYS: { key: '' } },
  caCertificates: { secret: 'authority', key: 'tls.crt' },
  networkPolicy: { enabled: true, egress: [{ to: [{ ipBlock: { cidr: '10.0.0.5/32' } }] }] },
};

const existingServiceAccount = {
  ...minimal,
  fullnameOverride: 'callbacks',
  serviceAccountName: 'cloud-identity',
  podSecurityContext: { runAsUser: null, runAsGroup: null },
  podDisruptionBudget: { enabled: false },
  migrate: { enabled: false },
  worker: { autoscaling: { type: 'cpu' } },
  bridge: {
    enabled: true,
    replicas: 3,
    topic: 'delivery-reports',
    url: { name: 'kafka', key: 'url' },
    map: { account_id: '$.acct', payload: { id: '$.id', text: { $path: '$.a', $values: { '<&>': '"' } } } },
  },
};

export const valueSets = {
  'the required values': minimal,
  everything,
  'no Redis and no SECRETS_KEYS': withoutRedis,
  'an existing ServiceAccount': existingServiceAccount,
  'old names of variables': {
    ...minimal,
    secrets: { SECRETS_KEY: { key: 'KEY' } },
    config: { EGRESS_ALLOW: '10.1.0.0/16' },
  },
};

/** Wrong values, each with a pattern that the error must match. */
export const wrongValues = [
  ['no image', { ...minimal, image: {} }, /image\.repository is required/],
  ['no public URL', { ...minimal, publicUrl: '' }, /publicUrl or baseUrl is required/],
  ['no Secret', { ...minimal, existingSecret: '' }, /existingSecret is required/],
  ['a misspelt value', { ...minimal, ingres: { enabled: true } }, /ingres\b/],
  ['a misspelt value of a part', { ...minimal, api: { replica: 3 } }, /replica\b/],
  ['a misspelt value of a worker', { ...minimal, workers: [{ name: 'a', roles: ['all'], replica: 1 }] }, /replica\b/],
  ['an unknown variable', { ...minimal, config: { SMS_RETRY: 1 } }, /SMS_RETRY\b/],
  ['a variable that the chart sets', { ...minimal, config: { PORT: 1 } }, /PORT\b/],
  ['a secret among the settings', { ...minimal, config: { DATABASE_URL: 'postgresql://x' } }, /DATABASE_URL\b/],
  ['a password in a proxy', { ...minimal, config: { EGRESS_PROXY: 'http://a:b@c:1' } }, /EGRESS_PROXY\b/],
  ['a number out of range', { ...minimal, config: { RETENTION_DAYS: -1 } }, /RETENTION_DAYS\b/],
  ['text for a number', { ...minimal, api: { replicas: 'two' } }, /replicas\b/],
  ['a tag in the repository', { ...minimal, image: { repository: 'a/b:1' } }, /repository\b/],
  ['a digest without a tag', { ...minimal, image: { ...minimal.image, tag: `@sha256:${'0'.repeat(64)}` } }, /tag\b/],
  ['a query in the public URL', { ...minimal, publicUrl: 'https://a/b?c' }, /publicUrl\b/],
  ['a query in the base URL', { ...minimal, baseUrl: 'https://a/b?c' }, /baseUrl\b/],
  ['a path of the API without a slash', { ...minimal, apiPath: 'v2' }, /apiPath\b/],
  [
    'an Ingress for an API without a path',
    { ...minimal, apiPath: '/', ingress: { enabled: true } },
    /requires an apiPath other than \/.*\/metrics would be public/,
  ],
  [
    'an Ingress for a base URL without a path',
    { ...minimal, publicUrl: '', baseUrl: 'https://ringback.example.com//', ingress: { enabled: true } },
    /or a baseUrl with a path.*\/metrics would be public/,
  ],
  ['an unknown role', { ...minimal, workers: [{ name: 'a', roles: ['send'] }] }, /roles/],
  ['a worker without a name', { ...minimal, workers: [{ roles: ['all'] }] }, /name/],
  ['a worker with the name of the API', { ...minimal, workers: [{ name: 'api', roles: ['all'] }] }, /workers.*name/],
  [
    'a worker with the name of the bridge',
    { ...minimal, workers: [{ name: 'bridge', roles: ['all'] }] },
    /workers.*name/,
  ],
  ['a bridge from nowhere', { ...minimal, bridge: { enabled: true } }, /bridge\.queue or bridge\.topic is required/],
  [
    'a bridge from a queue and a topic',
    { ...minimal, bridge: { enabled: true, queue: 'a', topic: 'b' } },
    /bridge\.queue or bridge\.topic is required/,
  ],
  ['a bridge for an unknown event', { ...minimal, bridge: { enabled: true, queue: 'a', event: 'sms' } }, /event\b/],
  [
    'roles that no worker has',
    { ...minimal, workers: [{ name: 'a', roles: ['ingest', 'deliver-sms'] }] },
    /workers: none has the role deliver-rcs, verify, maintain/,
  ],
  [
    'two workers with one name',
    { ...minimal, workers: ['ingest', 'all'].map((role) => ({ name: 'a', roles: [role] })) },
    /workers: two are named a/,
  ],
  ['KEDA without Prometheus', { ...minimal, worker: { autoscaling: { type: 'keda' } } }, /prometheusUrl is required/],
  [
    'KEDA for a worker without a queue',
    {
      ...minimal,
      worker: { autoscaling: { type: 'keda', prometheusUrl: 'http://p:9090' } },
      workers: ['ingest', 'deliver', 'verify', 'maintain'].map((role) => ({ name: role, roles: [role] })),
    },
    /ringback-verify cannot have autoscaling\.type keda/,
  ],
  ['a policy that cuts off PostgreSQL', { ...minimal, networkPolicy: { enabled: true } }, /networkPolicy\.egress is/],
  [
    'a policy that cuts Prometheus off from the API',
    { ...minimal, networkPolicy: { ...withoutRedis.networkPolicy, apiFrom: [namespaced('ingress')] } },
    /networkPolicy\.metricsFrom is required with networkPolicy\.apiFrom/,
  ],
  [
    'a variable twice',
    { ...minimal, config: { EGRESS_PROXY: 'http://p:1' }, secrets: { EGRESS_PROXY: { key: 'proxy' } } },
    /EGRESS_PROXY is set twice/,
  ],
];
