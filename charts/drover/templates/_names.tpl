{{- define "drover.labels" -}}
app.kubernetes.io/name: drover
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "drover.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- /* The namespaces of all vendors that are served, each once, as a JSON list. */}}
{{- define "drover.namespaces" -}}
{{- $all := list -}}
{{- range $name, $vendor := .Values.vendors -}}
{{- if $vendor.enabled -}}{{- $all = append $all $vendor.namespace -}}{{- end -}}
{{- end -}}
{{- $all | uniq | sortAlpha | toJson -}}
{{- end }}
