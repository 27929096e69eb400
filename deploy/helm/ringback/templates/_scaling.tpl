{{- /* The PodDisruptionBudget and, with type `cpu`, the autoscaler of a Deployment:
       (dict "root" $ "name" name "settings" api-or-worker "labels" labels "selector" labels). */ -}}
{{- define "ringback.disruptionBudget" -}}
{{- with .root.Values.podDisruptionBudget }}
{{- if .enabled }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ $.name }}
  labels: {{- $.labels | nindent 4 }}
spec:
  maxUnavailable: {{ .maxUnavailable }}
  # A pod that is not ready, such as while the database is down, does not keep a node from being drained.
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels: {{- $.selector | nindent 6 }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "ringback.cpuAutoscaler" -}}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: {{ .name }}
  labels: {{- .labels | nindent 4 }}
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: {{ .name }} }
  {{- with .settings.autoscaling }}
  minReplicas: {{ .minReplicas }}
  maxReplicas: {{ .maxReplicas }}
  metrics:
    - type: Resource
      resource:
        name: cpu
        target: { type: Utilization, averageUtilization: {{ .targetCpuPercent }} }
  {{- end }}
{{- end -}}

{{- /* Scales workers by the lag of their roles: the same arguments, and "kinds" from ringback.lagKinds. */ -}}
{{- define "ringback.lagAutoscaler" -}}
{{- $scaling := .settings.autoscaling -}}
{{- $kinds := .kinds -}}
{{- if not $kinds -}}
{{- fail (printf "the workers %s cannot have autoscaling.type keda: none of their roles ingests or delivers" .name) -}}
{{- end -}}
{{- $url := required "worker.autoscaling.prometheusUrl is required when autoscaling.type is keda" $scaling.prometheusUrl -}}
{{- $matchers := $scaling.matchers | empty | ternary "" (printf ",%s" $scaling.matchers) -}}
---
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata:
  name: {{ .name }}
  labels: {{- .labels | nindent 4 }}
spec:
  scaleTargetRef: { name: {{ .name }} }
  minReplicaCount: {{ $scaling.minReplicas }}
  maxReplicaCount: {{ $scaling.maxReplicas }}
  pollingInterval: 15
  cooldownPeriod: 300
  fallback: { failureThreshold: 4, replicas: {{ $scaling.fallbackReplicas }} }
  triggers:
    # All processes report the same values, hence max.
    - type: prometheus
      metadata:
        serverAddress: {{ $url }}
        query: max(ringback_lag_seconds{kind=~"{{ $kinds }}"{{ $matchers }}})
        threshold: {{ $scaling.lagSeconds | quote }}
        # No value is no reason to stop workers: then the fallback counts.
        ignoreNullValues: 'false'
    {{- if contains "-events" $kinds }}
    - type: prometheus
      metadata:
        serverAddress: {{ $url }}
        query: sum(max by (queue, state) (ringback_queue_jobs{queue=~"{{ $kinds }}",state="waiting"{{ $matchers }}}))
        threshold: {{ $scaling.waitingEvents | quote }}
        ignoreNullValues: 'false'
    {{- end }}
{{- end -}}
