{{/* What the API server is asked for, by feature: the tables of permissions in
the README of the receiver. */}}
{{- define "otelcol-gpu.agentRules" -}}
{{- $a := .Values.agent -}}
{{- if ne $a.pods "pods_api" }}
- {apiGroups: [""], resources: [pods], verbs: [list, watch]}
{{- end }}
{{- if $a.lookups.owners }}
{{- range $group, $kinds := $a.lookups.ownerKinds }}
- {apiGroups: [{{ $group | quote }}], resources: {{ toJson $kinds }}, verbs: [get]}
{{- end }}
{{- end }}
{{- if $a.lookups.events }}
- {apiGroups: [""], resources: [events], verbs: [list]}
{{- end }}
{{- if $a.namespaceLabels }}
- {apiGroups: [""], resources: [namespaces], verbs: [get]}
{{- end }}
{{- if $a.lookups.claims }}
{{ include "otelcol-gpu.claimRules" . }}
{{- end }}
{{- if $a.lookups.node }}
- {apiGroups: [""], resources: [nodes], verbs: [list, watch]}
{{- end }}
{{- end }}

{{- define "otelcol-gpu.claimRules" -}}
- {apiGroups: [resource.k8s.io], resources: [resourceclaims], verbs: [get]}
- {apiGroups: [resource.k8s.io], resources: [resourceslices, devicetaintrules], verbs: [list, watch]}
{{- end }}

{{- define "otelcol-gpu.gatewayRules" -}}
- {apiGroups: [""], resources: [nodes, pods], verbs: [list, watch]}
{{- if .Values.gateway.claims }}
{{ include "otelcol-gpu.claimRules" . }}
{{- end }}
{{- end }}

{{/* A role and its binding; give (list $ component account rules). */}}
{{- define "otelcol-gpu.role" -}}
{{- $top := index . 0 -}}
{{- $name := printf "%s-%s" $top.Release.Namespace (include (printf "otelcol-gpu.%s" (index . 1)) $top) }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: {{ $name }}
  labels: {{- include "otelcol-gpu.labels" (list $top (index . 1)) | nindent 4 }}
rules: {{- toYaml (index . 3) | nindent 2 }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: {{ $name }}
  labels: {{- include "otelcol-gpu.labels" (list $top (index . 1)) | nindent 4 }}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: {{ $name }}}
subjects:
  - {kind: ServiceAccount, name: {{ index . 2 }}, namespace: {{ $top.Release.Namespace }}}
{{- end }}
