{{- /* The command of a process, a list; the image's entry point is `ringback`. */ -}}
{{- define "ringback.args" -}}
args: {{ . | toJson }}
{{- end -}}

{{- /* The environment: (dict "root" $ "config" variables). toString would write 1000000 as 1e+06, hence toJson. */ -}}
{{- define "ringback.environment" -}}
{{- $root := .root -}}
{{- $secret := required "existingSecret is required: the name of the Secret with DATABASE_URL" $root.Values.existingSecret -}}
{{- range $name, $value := .config }}
- name: {{ $name }}
  value: {{ kindIs "string" $value | ternary $value (toJson $value) | quote }}
{{- end }}
{{- $secrets := $root.Values.secrets }}
{{- /* SECRETS_KEY is the old name of SECRETS_KEYS. */ -}}
{{- if hasKey $secrets "SECRETS_KEY" }}{{ $secrets = omit $secrets "SECRETS_KEYS" }}{{ end }}
{{- range $name, $from := $secrets }}
{{- if $from.key }}
{{- if hasKey $.config $name }}{{ fail (printf "%s is set twice: in config and in secrets" $name) }}{{ end }}
- name: {{ $name }}
  valueFrom:
    secretKeyRef:
      name: {{ $from.name | default $secret }}
      key: {{ $from.key }}
{{- end }}
{{- end }}
{{- if include "ringback.hasCertificates" $root }}
- name: NODE_EXTRA_CA_CERTS
  value: /etc/ringback/ca.crt
{{- end }}
{{- end -}}

{{- define "ringback.hasCertificates" -}}
{{- with .Values.caCertificates }}{{ if or .configMap .secret }}true{{ end }}{{ end }}
{{- end -}}

{{- /* What all pods have. */ -}}
{{- define "ringback.podDefaults" -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .Values.serviceAccountName }}
serviceAccountName: {{ . }}
{{- end }}
{{- with .Values.image.pullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
securityContext: {{- toYaml .Values.podSecurityContext | nindent 2 }}
{{- if include "ringback.hasCertificates" . }}
volumes:
  - name: certificates
    {{- with .Values.caCertificates }}
    {{- if .secret }}
    secret: { secretName: {{ .secret }}, items: [{ key: {{ .key }}, path: ca.crt }] }
    {{- else }}
    configMap: { name: {{ .configMap }}, items: [{ key: {{ .key }}, path: ca.crt }] }
    {{- end }}
    {{- end }}
{{- end }}
{{- end -}}

{{- define "ringback.containerDefaults" -}}
image: {{ include "ringback.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- if include "ringback.hasCertificates" . }}
volumeMounts:
  - { name: certificates, mountPath: /etc/ringback, readOnly: true }
{{- end }}
{{- end -}}

{{- /* Where pods run: (dict "settings" api-or-worker "selector" labels). */ -}}
{{- define "ringback.scheduling" -}}
topologySpreadConstraints:
  {{- range $key := list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
  - maxSkew: 1
    topologyKey: {{ $key }}
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels: {{- $.selector | nindent 8 }}
  {{- end }}
{{- with .settings.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .settings.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .settings.affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .settings.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- end -}}

{{- /* The labels and annotations of pods: (dict "root" $ "settings" api-or-worker "selector" labels "port" number). */ -}}
{{- define "ringback.podMetadata" -}}
labels:
  {{- .selector | nindent 2 }}
  {{- with .settings.podLabels }}{{ toYaml . | nindent 2 }}{{ end }}
{{- $annotations := dict -}}
{{- if not .root.Values.serviceMonitor.enabled -}}
{{- $annotations = dict "prometheus.io/scrape" "true" "prometheus.io/port" (toString .port) "prometheus.io/path" "/metrics" -}}
{{- end -}}
{{- with mergeOverwrite $annotations .settings.podAnnotations }}
annotations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "ringback.probes" -}}
readinessProbe:
  # /readyz takes up to 3 s.
  httpGet: { path: /readyz, port: {{ . }} }
  periodSeconds: 5
  timeoutSeconds: 4
livenessProbe:
  httpGet: { path: /healthz, port: {{ . }} }
  periodSeconds: 10
  timeoutSeconds: 3
  failureThreshold: 6
{{- end -}}
