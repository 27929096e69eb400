{{- /* The single roles of a list of roles, separated by spaces. */ -}}
{{- define "ringback.roles" -}}
{{- $single := list -}}
{{- range $role := list "ingest-sms" "ingest-rcs" "deliver-sms" "deliver-rcs" "verify" "maintain" -}}
{{- if or (has "all" $) (has $role $) (has (splitList "-" $role | first) $) }}{{ $single = append $single $role }}{{ end -}}
{{- end -}}
{{- join " " $single -}}
{{- end -}}

{{- /* The kinds of lag by which workers with these roles are scaled, as a regular expression. */ -}}
{{- define "ringback.lagKinds" -}}
{{- $kindOf := dict "ingest-sms" "sms-events" "ingest-rcs" "rcs-events" "deliver-sms" "sms" "deliver-rcs" "rcs" -}}
{{- $kinds := list -}}
{{- range $role := splitList " " (include "ringback.roles" .) -}}
{{- if hasKey $kindOf $role }}{{ $kinds = append $kinds (get $kindOf $role) }}{{ end -}}
{{- end -}}
{{- join "|" $kinds -}}
{{- end -}}

{{- define "ringback.sendsCallbacks" -}}
{{- if regexMatch "deliver|verify" (include "ringback.roles" .) }}true{{ end }}
{{- end -}}

{{- /* Fails when no worker has one of the roles, or two have the same name. */ -}}
{{- define "ringback.checkWorkers" -}}
{{- $given := list -}}
{{- $names := list -}}
{{- range .Values.workers -}}
{{- if has .name $names }}{{ fail (printf "workers: two are named %s" .name) }}{{ end -}}
{{- $names = append $names .name -}}
{{- $given = concat $given .roles -}}
{{- end -}}
{{- $missing := without (splitList " " (include "ringback.roles" (list "all"))) -}}
{{- range $role := splitList " " (include "ringback.roles" $given) }}{{ $missing = without $missing $role }}{{ end -}}
{{- if $missing }}{{ fail (printf "workers: none has the role %s" (join ", " $missing)) }}{{ end -}}
{{- end -}}
