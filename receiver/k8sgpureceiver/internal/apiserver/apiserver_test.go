// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/kubelet"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/pod"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// notes is a sink that writes down what it is told.
type notes struct{ text chan string }

func (n *notes) Resync()           { n.text <- "resync" }
func (n *notes) Pod(p *pod.Pod)    { n.text <- fmt.Sprintf("pod %s %s", p.UID, p.Phase) }
func (n *notes) Gone(uid string)   { n.text <- "gone " + uid }
func (n *notes) Missed(uid string) { n.text <- "missed " + uid }
func (n *notes) Synced()           { n.text <- "synced" }
func (n *notes) Lost(err error)    { n.text <- fmt.Sprintf("lost: %s", kubelet.ReasonOf(err)) }
func (n *notes) Refused(error)     { n.text <- "refused" }

// wait reads notes until one is want.
func (n *notes) wait(t *testing.T, want string) {
	t.Helper()
	limit := time.After(30 * time.Second)
	for n.next(t, limit, want) != want {
		continue
	}
}

// next reads one note.
func (n *notes) next(t *testing.T, limit <-chan time.Time, want string) string {
	t.Helper()
	select {
	case got := <-n.text:
		return got
	case <-limit:
		t.Fatalf("not told: %s", want)
		return ""
	}
}

// server is an API server with one resource, pods.
type server struct {
	mu       sync.Mutex
	denied   bool
	pods     []corev1.Pod
	watchers []chan metav1.WatchEvent
	requests map[string]bool
	ended    chan struct{} // ends all watches
}

func thePod(uid string, phase corev1.PodPhase) corev1.Pod {
	return corev1.Pod{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{UID: types.UID(uid), Name: uid, Namespace: "ns", ResourceVersion: "7"},
		Status:     corev1.PodStatus{Phase: phase},
	}
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	s.mu.Lock()
	s.requests[r.Method+" "+r.URL.Path+" "+query.Get("fieldSelector")] = true
	denied, ended := s.denied, s.ended
	events := make(chan metav1.WatchEvent, 10)
	s.watchers = append(s.watchers, events)
	list := corev1.PodList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "PodList"}, ListMeta: metav1.ListMeta{ResourceVersion: "7"}, Items: s.pods}
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	switch {
	case denied:
		answerStatus(w, http.StatusForbidden)
	case query.Get("watch") == "":
		_ = json.NewEncoder(w).Encode(list)
	case query.Get("sendInitialEvents") == "true": // an API server before 1.32
		answerStatus(w, http.StatusUnprocessableEntity)
	default:
		w.WriteHeader(http.StatusOK)
		w.(http.Flusher).Flush()
		stream(w, r, events, ended)
	}
}

func stream(w http.ResponseWriter, r *http.Request, events chan metav1.WatchEvent, ended chan struct{}) {
	for {
		select {
		case <-r.Context().Done():
			return
		case <-ended:
			return
		case e := <-events:
			_ = json.NewEncoder(w).Encode(e)
			w.(http.Flusher).Flush()
		}
	}
}

func answerStatus(w http.ResponseWriter, code int32) {
	w.WriteHeader(int(code))
	reason := map[int32]metav1.StatusReason{403: metav1.StatusReasonForbidden, 422: metav1.StatusReasonInvalid}[code]
	_ = json.NewEncoder(w).Encode(metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusFailure, Code: code, Reason: reason,
	})
}

func (s *server) send(kind string, p corev1.Pod) {
	data, err := json.Marshal(p)
	if err != nil {
		panic(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range s.watchers {
		select {
		case w <- metav1.WatchEvent{Type: kind, Object: runtime.RawExtension{Raw: data}}:
		default:
		}
	}
}

func TestWatchPods(t *testing.T) {
	s := &server{denied: true, requests: map[string]bool{}, ended: make(chan struct{}), pods: []corev1.Pod{thePod("a", corev1.PodRunning)}}
	web := httptest.NewServer(s)
	defer web.Close()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	client, err := kubernetes.NewForConfig(&rest.Config{Host: web.URL, Transport: transport})
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	sink, done := &notes{make(chan string, 1000)}, make(chan struct{})
	go func() {
		defer close(done)
		NewPods(client, "node-1").Run(ctx, sink)
	}()
	sink.wait(t, "lost: denied")
	s.mu.Lock()
	s.denied = false
	s.mu.Unlock()
	sink.wait(t, "pod a Running")
	sink.wait(t, "synced")
	require.Eventually(t, func() bool {
		s.send("MODIFIED", thePod("a", corev1.PodSucceeded))
		select {
		case got := <-sink.text:
			return got == "pod a Succeeded"
		default:
			return false
		}
	}, 30*time.Second, 10*time.Millisecond)
	s.send("DELETED", thePod("a", corev1.PodSucceeded))
	sink.wait(t, "gone a")
	stop()
	<-done
	s.mu.Lock()
	defer s.mu.Unlock()
	require.Equal(t, map[string]bool{"GET /api/v1/pods spec.nodeName=node-1": true}, s.requests, "list and watch pods of this node: nothing else")
}

// follow runs a source of pods of a server; stop returns when it has ended.
func follow(t *testing.T, host string) (sink *notes, stop func()) {
	transport := &http.Transport{}
	client, err := kubernetes.NewForConfig(&rest.Config{Host: host, Transport: transport})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	sink, done := &notes{make(chan string, 1000)}, make(chan struct{})
	go func() {
		defer close(done)
		NewPods(client, "node-1").Run(ctx, sink)
	}()
	return sink, func() {
		t.Helper()
		cancel()
		select {
		case <-done:
		case <-time.After(5 * time.Second):
			t.Fatal("it waits for a server that is away, not for its context")
		}
		transport.CloseIdleConnections()
	}
}

// TestAway: a server that refuses connections is told of, and nothing waits for
// it when the source has to stop.
func TestAway(t *testing.T) {
	s := &server{requests: map[string]bool{}, ended: make(chan struct{}), pods: []corev1.Pod{thePod("a", corev1.PodRunning)}}
	web := httptest.NewServer(s)
	sink, stop := follow(t, web.URL)
	sink.wait(t, "synced")
	require.NoError(t, web.Listener.Close())
	web.CloseClientConnections()
	sink.wait(t, "lost: away")
	sink.wait(t, "lost: away") // it tries again
	stop()
	web.Close()
}

// TestGoneWhileAway: of pods that went while the server was away, nobody knows
// when; one may have the name of another.
func TestGoneWhileAway(t *testing.T) {
	s := &server{requests: map[string]bool{}, ended: make(chan struct{}), pods: []corev1.Pod{thePod("a", corev1.PodRunning), thePod("b", corev1.PodRunning)}}
	web := httptest.NewServer(s)
	sink, stop := follow(t, web.URL)
	sink.wait(t, "synced")
	require.NoError(t, web.Listener.Close())
	web.CloseClientConnections()
	sink.wait(t, "lost: away")
	anew := thePod("b2", corev1.PodRunning)
	anew.Name = "b"
	s.mu.Lock()
	s.pods = []corev1.Pod{anew}
	s.mu.Unlock()
	back := httptest.NewUnstartedServer(s)
	require.NoError(t, back.Listener.Close())
	var err error
	back.Listener, err = net.Listen("tcp", web.Listener.Addr().String())
	require.NoError(t, err)
	back.Start()
	told, limit := map[string]bool{}, time.After(30*time.Second)
	for len(told) < 3 {
		got := sink.next(t, limit, "that a and b are missed, and of b2")
		require.NotContains(t, got, "gone", "nobody saw it go")
		if got == "missed a" || got == "missed b" || got == "pod b2 Running" {
			told[got] = true
		}
	}
	stop()
	back.Close()
	web.Close()
}

// TestTooMany: what the server asks for is told too, under its own reason.
func TestTooMany(t *testing.T) {
	many := apierrors.NewTooManyRequests("later", 1)
	require.False(t, apierrors.IsTooManyRequests(seal(many)), "the reflector would try again by itself")
	require.Equal(t, kubelet.RateLimited, kubelet.ReasonOf(bare(seal(many))))
	gone := apierrors.NewResourceExpired("old")
	require.Equal(t, gone, seal(gone), "the reflector has to list")
}

func TestSlimKeepsWhatIsRead(t *testing.T) {
	p := thePod("a", corev1.PodRunning)
	p.Spec = corev1.PodSpec{
		Volumes: []corev1.Volume{
			{Name: "token", VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{}}},
			{Name: "models", VolumeSource: corev1.VolumeSource{NFS: &corev1.NFSVolumeSource{}}},
		},
		Containers: []corev1.Container{{
			Name: "c", Env: []corev1.EnvVar{{Name: "E"}}, ReadinessProbe: &corev1.Probe{},
			VolumeMounts: []corev1.VolumeMount{{Name: "models", MountPath: "/models"}, {Name: "token", MountPath: "/token"}},
		}},
	}
	before := pod.Read(&p)
	after, err := slim(&p)
	require.NoError(t, err)
	require.Empty(t, after.(*corev1.Pod).Spec.Containers[0].Env)
	require.Len(t, after.(*corev1.Pod).Spec.Volumes, 1)
	require.Equal(t, before, pod.Read(after.(*corev1.Pod)))
}

func TestAuthentication(t *testing.T) {
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	t.Setenv("KUBERNETES_SERVICE_PORT", "443")
	for how, want := range map[string]string{
		AuthServiceAccount: "in-cluster", AuthNone: "KUBERNETES_SERVICE_HOST", "magic": "set serviceAccount, kubeConfig or none",
	} {
		_, err := New(Config{AuthType: how})
		require.ErrorContains(t, err, want, how)
		require.ErrorContains(t, err, how)
	}
	t.Setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1")
	_, err := New(Config{AuthType: AuthNone})
	require.NoError(t, err)
}
