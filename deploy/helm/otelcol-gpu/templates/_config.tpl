{{/* What agent and gateway have in common. */}}
{{- define "otelcol-gpu.config.base" -}}
extensions:
  healthcheckv2:
    use_v2: true
    http: {endpoint: "[${env:POD_IP}]:13133"} # of either family
processors:
  memory_limiter: {check_interval: 1s, limit_percentage: 80, spike_limit_percentage: 20}
service:
  telemetry:
    metrics:
      readers:
        - pull: {exporter: {prometheus: {host: "${env:POD_IP}", port: 8888}}}
{{- end }}

{{- define "otelcol-gpu.config.k8sGPU" -}}
{{- $a := .Values.agent -}}
node: "${env:K8S_NODE_NAME}"
proc_path: /host/proc
cluster_name: {{ .Values.clusterName | quote }}
collection_interval: {{ $a.collectionInterval }}
pods: {{ ternary "pods_api" $a.pods (and (eq $a.access "sockets") (eq $a.pods "auto")) }}
auth_type: {{ ternary "serviceAccount" "none" (eq $a.access "api") }}
{{- with $a.lookups }}
owner_lookup: {{ .owners }}
event_lookup: {{ .events }}
claim_lookup: {{ .claims }}
node_lookup: {{ .node }}
{{- end }}
{{- with $a.podLabels }}
pod_labels: {{ toJson . }}
{{- end }}
{{- with $a.namespaceLabels }}
namespace_labels: {{ toJson . }}
{{- end }}
{{- with $a.nodeTaints }}
node_taints: {{ toJson . }}
{{- end }}
{{- end }}

{{/* Where the agent's points about devices come from: none for allocation only. */}}
{{- define "otelcol-gpu.config.devices" -}}
{{- $d := .Values.agent.devices -}}
{{- if eq $d.source "dcgm" }}
dcgm:
  node: "${env:K8S_NODE_NAME}"
  cluster_name: {{ .Values.clusterName | quote }}
  endpoint: {{ $d.dcgm.endpoint | quote }}
  mode: standalone
  collection_interval: {{ .Values.agent.collectionInterval }}
  sample_interval: {{ $d.dcgm.sampleInterval }}
{{- else if eq $d.source "dcgm_exporter" }}
prometheus/dcgm_exporter:
  config:
    scrape_configs:
      - job_name: dcgm-exporter
        scrape_interval: {{ $d.dcgmExporter.scrapeInterval }}
        honor_labels: true
        static_configs:
          - targets: [{{ $d.dcgmExporter.target | quote }}]
{{- end }}
{{- end }}

{{/* The exporters of the values; give (list $ stored). Those that queue what they
can't send keep it in the storage, if there is one, and for as long as it takes. */}}
{{- define "otelcol-gpu.exporters" -}}
{{- range $id, $own := (index . 0).Values.exporters }}
{{- $config := deepCopy (default dict $own) }}
{{- if and (index $ 1) (has (splitList "/" $id | first) (list "otlp_grpc" "otlp" "otlp_http" "otlphttp" "kafka")) }}
{{- $queue := dict "sending_queue" (dict "storage" "file_storage/queue") "retry_on_failure" (dict "max_elapsed_time" 0) }}
{{- $config = mergeOverwrite $queue $config }}
{{- end }}
{{ toYaml (dict $id $config) }}
{{- end }}
{{- end }}

{{- define "otelcol-gpu.config.agent" -}}
{{- $a := .Values.agent -}}
{{- $devices := include "otelcol-gpu.config.devices" . | fromYaml -}}
extensions:
  {{- if $a.state.enabled }}
  file_storage/gpu: {directory: /var/lib/otelcol-gpu/ledger, create_directory: true, recreate: true}
  file_storage/queue: {directory: /var/lib/otelcol-gpu/queue, create_directory: true, recreate: true}
  {{- end }}
  {{- if .Values.gateway.enabled }}
  bearertokenauth: {filename: /etc/otelcol-gpu/gateway/token}
  {{- end }}
receivers:
  k8s_gpu:
    {{- include "otelcol-gpu.config.k8sGPU" . | nindent 4 }}
  {{- with $devices }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
processors:
  {{- if eq $a.devices.source "dcgm_exporter" }}
  resource/node:
    attributes:
      - {key: k8s.node.name, value: "${env:K8S_NODE_NAME}", action: upsert}
      - {key: k8s.cluster.name, value: {{ .Values.clusterName | quote }}, action: upsert}
  {{- end }}
  gpu_accounting:
    {{- if $a.state.enabled }}
    storage: file_storage/gpu
    {{- end }}
    {{- with $a.accounting }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
exporters:
  {{- if .Values.gateway.enabled }}
  otlp_grpc/gateway:
    endpoint: {{ include "otelcol-gpu.gatewayHost" . }}:4317
    tls: {ca_file: /etc/otelcol-gpu/gateway/ca.crt}
    auth: {authenticator: bearertokenauth}
    {{- if $a.state.enabled }}
    sending_queue: {storage: file_storage/queue}
    {{- end }}
    retry_on_failure: {max_elapsed_time: 0}
  {{- else }}
  {{- include "otelcol-gpu.exporters" (list $ $a.state.enabled) | nindent 2 }}
  {{- end }}
service:
  extensions:
    - healthcheckv2
    {{- if $a.state.enabled }}
    - file_storage/gpu
    - file_storage/queue
    {{- end }}
    {{- if .Values.gateway.enabled }}
    - bearertokenauth
    {{- end }}
  pipelines:
    metrics/gpu:
      receivers: {{ concat (list "k8s_gpu") (keys $devices) | toJson }}
      processors: {{ ternary (list "memory_limiter" "resource/node" "gpu_accounting") (list "memory_limiter" "gpu_accounting") (eq $a.devices.source "dcgm_exporter") | toJson }}
      exporters: {{ ternary (list "otlp_grpc/gateway") (keys .Values.exporters | sortAlpha) .Values.gateway.enabled | toJson }}
{{- end }}

{{- define "otelcol-gpu.config.gateway" -}}
{{- $g := .Values.gateway -}}
extensions:
  bearertokenauth: {filename: /etc/otelcol-gpu/gateway/token}
  file_storage/queue: {directory: /var/lib/otelcol-gpu/queue, create_directory: true, recreate: true}
receivers:
  otlp:
    protocols:
      grpc:
        endpoint: "[${env:POD_IP}]:4317"
        tls: {cert_file: /etc/otelcol-gpu/gateway/tls.crt, key_file: /etc/otelcol-gpu/gateway/tls.key, reload_interval: 1h}
        auth: {authenticator: bearertokenauth}
  k8s_gpu/cluster:
    mode: cluster
    cluster_name: {{ .Values.clusterName | quote }}
    claim_lookup: {{ $g.claims }}
    {{- with $g.nodeLabels }}
    node_labels: {{ toJson . }}
    {{- end }}
exporters:
  {{- include "otelcol-gpu.exporters" (list $ true) | nindent 2 }}
service:
  extensions: [healthcheckv2, bearertokenauth, file_storage/queue]
  pipelines:
    metrics:
      receivers: [otlp, k8s_gpu/cluster]
      processors: [memory_limiter]
      exporters: {{ keys .Values.exporters | sortAlpha | toJson }}
{{- end }}

{{/* The whole configuration; give (list $ "agent"). */}}
{{- define "otelcol-gpu.config" -}}
{{- $top := index . 0 -}}
{{- $base := include "otelcol-gpu.config.base" $top | fromYaml -}}
{{- $own := include (printf "otelcol-gpu.config.%s" (index . 1)) $top | fromYaml -}}
{{- toYaml (mergeOverwrite $base $own (deepCopy (index $top.Values (index . 1) "config"))) }}
{{- end }}
