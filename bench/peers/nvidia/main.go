// The incumbent, as small as it can be: NVIDIA's own upgrade library in a controller that calls it as the upgrade controller of
// NVIDIA's GPU operator does, so that `make bench-peers` can measure both on one control plane.
//
// As there: one worker and one singleton request; watches of Nodes (only a changed state or skip label counts) and of the driver's
// DaemonSets (only a changed generation counts), none of pods; errors are retried after 100 ms, doubling to 3 s; a pass that went
// well is repeated after -requeue, which is two minutes there. GPU pods are evicted, validation waits for the validator's pods.
// Client-side rate limits are off, as controller-runtime leaves them today. What the operator does besides (operands, status,
// metrics) is left out, which is in its favour.
package main

import (
	"context"
	"flag"
	"os"
	"strings"
	"time"

	"github.com/NVIDIA/k8s-operator-libs/api/upgrade/v1alpha1"
	"github.com/NVIDIA/k8s-operator-libs/pkg/upgrade"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

const (
	driverApp    = "nvidia-driver-daemonset"
	validatorApp = "app=nvidia-operator-validator"
)

type upgrader struct {
	states    upgrade.ClusterUpgradeStateManager
	namespace string
	requeue   time.Duration
	policy    v1alpha1.DriverUpgradePolicySpec
}

// Reconcile is one pass: take a snapshot, apply it, come back in `requeue`.
func (u *upgrader) Reconcile(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
	state, err := u.states.BuildState(ctx, u.namespace, map[string]string{"app": driverApp})
	if err != nil {
		return reconcile.Result{}, err
	}
	if err := u.states.ApplyState(ctx, state, &u.policy); err != nil {
		return reconcile.Result{}, err
	}
	return reconcile.Result{RequeueAfter: u.requeue}, nil
}

// usesGPU is the operator's filter of pods that must leave before the driver does (without its look into ResourceClaims).
func usesGPU(pod corev1.Pod) bool {
	if pod.Status.Phase != corev1.PodRunning && pod.Status.Phase != corev1.PodPending {
		return false
	}
	asks := func(list corev1.ResourceList) bool {
		for name := range list {
			if strings.HasPrefix(string(name), "nvidia.com/gpu") || strings.HasPrefix(string(name), "nvidia.com/mig-") {
				return true
			}
		}
		return false
	}
	for i := range pod.Spec.Containers {
		if asks(pod.Spec.Containers[i].Resources.Limits) || asks(pod.Spec.Containers[i].Resources.Requests) {
			return true
		}
	}
	return false
}

// stateChanged lets an update of a Node through when the upgrade's label or the skip label changed, and nothing else.
func stateChanged() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		for _, key := range []string{upgrade.GetUpgradeStateLabelKey(), upgrade.GetUpgradeSkipNodeLabelKey()} {
			if e.ObjectOld.GetLabels()[key] != e.ObjectNew.GetLabels()[key] {
				return true
			}
		}
		return false
	}}
}

func ofTheDriver() predicate.Predicate {
	return predicate.NewPredicateFuncs(func(object client.Object) bool { return object.GetLabels()["app"] == driverApp })
}

func run() error {
	namespace := flag.String("namespace", "gpu-operator", "where the driver's DaemonSet is")
	requeue := flag.Duration("requeue", 2*time.Minute, "a pass that went well is repeated after this time")
	parallel := flag.Int("max-parallel", 1, "maxParallelUpgrades of the policy")
	unavailable := flag.Int("max-unavailable", 1, "maxUnavailable of the policy")
	flag.Parse() // -kubeconfig is controller-runtime's own

	ctrl.SetLogger(zap.New(zap.UseDevMode(false)))
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	config.QPS = -1
	config.UserAgent = "peer-nvidia"
	manager, err := ctrl.NewManager(config, ctrl.Options{Metrics: server.Options{BindAddress: "0"}})
	if err != nil {
		return err
	}

	upgrade.SetDriverName("gpu")
	states, err := upgrade.NewClusterUpgradeStateManager(ctrl.Log.WithName("upgrade"), manager.GetConfig(), manager.GetEventRecorderFor("nvidia-gpu-operator"))
	if err != nil {
		return err
	}
	limit := intstr.FromInt(*unavailable)
	pass := &upgrader{
		states:    states.WithPodDeletionEnabled(usesGPU).WithValidationEnabled(validatorApp),
		namespace: *namespace,
		requeue:   *requeue,
		policy: v1alpha1.DriverUpgradePolicySpec{
			AutoUpgrade:         true,
			MaxParallelUpgrades: *parallel,
			MaxUnavailable:      &limit,
			PodDeletion:         &v1alpha1.PodDeletionSpec{TimeoutSecond: 300},
			WaitForCompletion:   &v1alpha1.WaitForCompletionSpec{},
			DrainSpec:           &v1alpha1.DrainSpec{TimeoutSecond: 300},
		},
	}

	worker, err := controller.New("upgrade-controller", manager, controller.Options{
		Reconciler:              pass,
		MaxConcurrentReconciles: 1,
		RateLimiter:             workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](100*time.Millisecond, 3*time.Second),
	})
	if err != nil {
		return err
	}
	one := handler.EnqueueRequestsFromMapFunc(func(context.Context, client.Object) []reconcile.Request {
		return []reconcile.Request{{NamespacedName: types.NamespacedName{Name: "driver-upgrade"}}}
	})
	if err := worker.Watch(source.Kind[client.Object](manager.GetCache(), &corev1.Node{}, one, stateChanged())); err != nil {
		return err
	}
	changed := predicate.And[client.Object](predicate.GenerationChangedPredicate{}, ofTheDriver())
	if err := worker.Watch(source.Kind[client.Object](manager.GetCache(), &appsv1.DaemonSet{}, one, changed)); err != nil {
		return err
	}
	return manager.Start(ctrl.SetupSignalHandler())
}

func main() {
	if err := run(); err != nil {
		os.Stderr.WriteString("peer-nvidia: " + err.Error() + "\n")
		os.Exit(1)
	}
}
