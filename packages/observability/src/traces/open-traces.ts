import type { Logger } from '../log.ts'
import { errorType } from './attributes.ts'
import { traceSettings } from './settings.ts'
import { setTraces } from './traces.ts'

type OpeningTraces = Readonly<{ env: Readonly<Record<string, string | undefined>>; log: Logger; version: string }>

/**
 * Switches the traces of this process on where the environment asks for them (M69), and loads the libraries only then. Answers how they are stopped; undefined
 * where they are off. Never rejects: a service runs without traces.
 */
export async function openTraces(opening: OpeningTraces): Promise<(() => Promise<void>) | undefined> {
  const settings = traceSettings(opening.env)
  if (settings === null) return undefined
  for (const mistake of settings.mistakes) opening.log.warn(mistake)
  try {
    const { openTelemetry } = await import('./open-telemetry.ts')
    const opened = await openTelemetry(settings, opening)
    setTraces(opened)
    return async () => {
      setTraces(null)
      await opened.stop()
    }
  } catch (error) {
    // Its words may quote an address with a token in it.
    opening.log.warn({ failure: errorType(error) }, 'traces are off: what the variables OTEL_… say cannot be used')
    return undefined
  }
}
