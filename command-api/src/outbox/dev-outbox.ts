import type { App } from '@tidings/http'
import type { Dependencies } from '../dependencies.ts'
import { clearDevOutbox } from './clear-outbox.route.ts'
import { listDevOutbox } from './list-outbox.route.ts'
import { onlyForThisMachine } from './only-for-this-machine.ts'
import { reportDevOutbox } from './report-outbox.route.ts'

/** The development outbox (O5), for callers on the machine of a process outside production; register it at the root. */
export function devOutbox(deps: Dependencies, publicUrl: string) {
  return async (app: App): Promise<void> => {
    onlyForThisMachine(app, publicUrl)
    for (const route of [listDevOutbox, reportDevOutbox, clearDevOutbox]) route(app, deps)
  }
}
