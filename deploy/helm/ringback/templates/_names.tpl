{{- define "ringback.fullname" -}}
{{- $default := ternary .Release.Name (printf "%s-ringback" .Release.Name) (contains "ringback" .Release.Name) -}}
{{- .Values.fullnameOverride | default $default | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- define "ringback.image" -}}
{{- $repository := required "image.repository is required: the image that you built and pushed" .Values.image.repository -}}
{{- printf "%s:%s" $repository (.Values.image.tag | default .Chart.AppVersion) -}}
{{- end -}}

{{- /* The labels that select pods: (list $ component) or (list $ "worker" name). They never change. */ -}}
{{- define "ringback.selectorLabels" -}}
{{- $root := first . -}}
app.kubernetes.io/name: ringback
app.kubernetes.io/instance: {{ $root.Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- if gt (len .) 2 }}
ringback/worker: {{ index . 2 }}
{{- end }}
{{- end -}}

{{- define "ringback.labels" -}}
{{- $root := first . -}}
{{ include "ringback.selectorLabels" . }}
app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
helm.sh/chart: {{ $root.Chart.Name }}-{{ $root.Chart.Version }}
{{- end -}}
