import { ProxyTracerProvider, type TracerProvider, trace } from '@opentelemetry/api'
import { packageVersion } from '../../base/package-version.ts'
import { RequestTracer } from './request-tracer.ts'

/** A tracer for the SDK that the user has registered. */
export function createRequestTracer(): RequestTracer {
  return new RequestTracer(trace.getTracer('orbweaver', packageVersion()))
}

/** Whether an SDK is registered. Without one, all spans are discarded. */
export function isSdkRegistered(): boolean {
  return registered() !== undefined
}

/** Sends the spans that the SDK has collected, if it can be flushed. */
export async function flushSpans(): Promise<void> {
  await registered()?.forceFlush?.()
}

/** `forceFlush` is a method of every SDK, but not of the API. */
type Flushable = TracerProvider & { forceFlush?(): Promise<void> }

function registered(): Flushable | undefined {
  const provider = trace.getTracerProvider()
  // The SDK may have registered itself through another copy of the API, so that classes cannot be compared.
  const delegate = 'getDelegate' in provider ? (provider as ProxyTracerProvider).getDelegate() : provider
  return delegate === new ProxyTracerProvider().getDelegate() ? undefined : delegate
}
