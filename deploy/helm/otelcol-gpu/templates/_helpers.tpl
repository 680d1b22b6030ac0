{{- define "otelcol-gpu.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{/* The suffix of the longest name is 8 characters, a StatefulSet's pods add 11. */}}
{{- define "otelcol-gpu.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 42 | trimSuffix "-" }}
{{- else }}
{{- $name := include "otelcol-gpu.name" . }}
{{- ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) | trunc 42 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "otelcol-gpu.agent" -}}{{ include "otelcol-gpu.fullname" . }}-agent{{- end }}
{{- define "otelcol-gpu.gateway" -}}{{ include "otelcol-gpu.fullname" . }}-gateway{{- end }}

{{/* What is the same for agent and gateway; give (list $ "agent"). */}}
{{- define "otelcol-gpu.selector" -}}
{{- $top := index . 0 -}}
app.kubernetes.io/name: {{ include "otelcol-gpu.name" $top }}
app.kubernetes.io/instance: {{ $top.Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{- define "otelcol-gpu.labels" -}}
{{- $top := index . 0 -}}
{{ include "otelcol-gpu.selector" . }}
app.kubernetes.io/version: {{ $top.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $top.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" $top.Chart.Name $top.Chart.Version | replace "+" "_" }}
{{- end }}

{{/* An image: the suffix of its repository's name, and its own digest, if any. */}}
{{- define "otelcol-gpu.image" -}}
{{- $top := index . 0 -}}{{- $i := $top.Values.image -}}
{{ $i.repository }}{{ index . 1 }}{{ with index . 2 }}@{{ . }}{{ else }}:{{ default $top.Chart.AppVersion $i.tag }}{{ end }}
{{- end }}

{{- define "otelcol-gpu.agentAccount" -}}
{{- default (ternary (include "otelcol-gpu.agent" .) "default" .Values.serviceAccount.create) .Values.serviceAccount.agent }}
{{- end }}
{{- define "otelcol-gpu.gatewayAccount" -}}
{{- default (ternary (include "otelcol-gpu.gateway" .) "default" .Values.serviceAccount.create) .Values.serviceAccount.gateway }}
{{- end }}

{{- define "otelcol-gpu.secret" -}}
{{- default (include "otelcol-gpu.gateway" .) .Values.gateway.existingSecret }}
{{- end }}

{{- define "otelcol-gpu.gatewayHost" -}}
{{ include "otelcol-gpu.gateway" . }}.{{ .Release.Namespace }}.svc
{{- end }}

{{/* Whether the agent has any access to the API server: "true" or "". */}}
{{- define "otelcol-gpu.api" -}}
{{- if eq .Values.agent.access "api" }}true{{ end }}
{{- end }}

{{/* What can't be, said with what to set. */}}
{{- define "otelcol-gpu.check" -}}
{{- $a := .Values.agent -}}
{{- if not .Values.exporters }}
{{- fail "exporters: none is set; set at least one, as --set exporters.otlp_grpc.endpoint=collector.monitoring:4317" }}
{{- end }}
{{- if and (eq $a.access "sockets") (or $a.lookups.owners $a.lookups.events $a.lookups.claims $a.lookups.node $a.namespaceLabels) }}
{{- fail "agent.lookups, agent.namespaceLabels: they ask the API server; set agent.access=api" }}
{{- end }}
{{- if and (eq $a.access "sockets") (eq $a.pods "api_server") }}
{{- fail "agent.pods: api_server asks the API server; set agent.access=api" }}
{{- end }}
{{- if and (eq $a.devices.source "dcgm") (not $a.devices.dcgm.endpoint) }}
{{- fail "agent.devices.dcgm.endpoint: none is set; set the address of the host engine of a node, as nvidia-dcgm.gpu-operator:5555" }}
{{- end }}
{{- $n := .Values.networkPolicy }}
{{- if and $n.enabled .Values.gateway.enabled (not $a.enabled) (not $n.agentsFrom) }}
{{- fail "networkPolicy.agentsFrom: none is set, and without agent.enabled nobody would reach the gateway; set the peers that send to it, or networkPolicy.enabled=false" }}
{{- end }}
{{- if and $n.enabled .Values.podMonitor.enabled (not $n.metricsFrom) }}
{{- fail "networkPolicy.metricsFrom: none is set, so that Prometheus couldn't read what podMonitor tells it to; set its peers, or networkPolicy.enabled=false" }}
{{- end }}
{{- if not (or $a.enabled .Values.gateway.enabled) }}
{{- fail "agent.enabled and gateway.enabled: both are false; enable one" }}
{{- end }}
{{- end }}

{{/* The container's; give what is merged over it. */}}
{{- define "otelcol-gpu.securityContext" -}}
{{- toYaml (mergeOverwrite (include "otelcol-gpu.leastPrivilege" . | fromYaml) (deepCopy .)) }}
{{- end }}

{{- define "otelcol-gpu.leastPrivilege" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
seccompProfile: {type: RuntimeDefault}
{{- end }}

{{/* Go's own limit, 80 % of the container's, so that memory is freed before the
memory_limiter refuses data; give resources. Nothing without a limit, or with one
that isn't in Mi or Gi. */}}
{{- define "otelcol-gpu.memoryLimit" -}}
{{- $limit := dig "limits" "memory" "" . | toString }}
{{- if regexMatch "^[0-9]+(Mi|Gi)$" $limit }}
{{- $mebibytes := mul (regexFind "^[0-9]+" $limit | int) (ternary 1024 1 (hasSuffix "Gi" $limit)) -}}
- {name: GOMEMLIMIT, value: {{ printf "%dMiB" (div (mul $mebibytes 4) 5) }}}
{{- end }}
{{- end }}

{{/* How the kubelet sees that a collector runs. */}}
{{- define "otelcol-gpu.probes" -}}
startupProbe:
  httpGet: {path: /status, port: health}
  periodSeconds: 2
  failureThreshold: 60
livenessProbe:
  httpGet: {path: /status, port: health}
  periodSeconds: 20
  timeoutSeconds: 5
readinessProbe:
  httpGet: {path: /status, port: health}
  periodSeconds: 10
  timeoutSeconds: 5
{{- end }}
