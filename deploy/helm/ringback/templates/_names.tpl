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

{{- /* Where the API is, as YAML: the host, the path of the public URL, and that of the API below it. */ -}}
{{- define "ringback.address" -}}
{{- $url := urlParse (.Values.publicUrl | default .Values.baseUrl) -}}
{{- $path := trimSuffix "/" (printf "/%s" (trimAll "/" $url.path)) -}}
{{- $apiPath := trimSuffix "/" (.Values.apiPath | default "/api/v2") -}}
{{- if and (not .Values.publicUrl) .Values.apiPath -}}
{{- $path = trimSuffix $apiPath $path -}}
{{- else if not .Values.publicUrl -}}
{{- $prefix := regexReplaceAll "(/[^/]+){1,2}$" $path "" -}}
{{- $apiPath = trimPrefix $prefix $path -}}
{{- $path = $prefix -}}
{{- end -}}
{{ dict "host" $url.hostname "path" $path "apiPath" $apiPath | toYaml }}
{{- end -}}

{{- define "ringback.labels" -}}
{{- $root := first . -}}
{{ include "ringback.selectorLabels" . }}
app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
helm.sh/chart: {{ $root.Chart.Name }}-{{ $root.Chart.Version | replace "+" "_" }}
{{- end -}}
