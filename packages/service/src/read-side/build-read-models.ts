import { OperationFailed } from '@tidings/config'
import { comparePositions, START } from '@tidings/event-store'
import { startProjectors } from '@tidings/projectors'
import type { Stores } from '../stores/open-stores.ts'
import { untilVisible } from './until-visible.ts'

/** How often it is checked whether a projection has failed. */
const FAILURE_CHECK_MS = 5_000

type Building = Readonly<{ stores: Stores; onProgress: (done: number, total: number) => void }>

/**
 * Folds the whole log into the read models before a process serves them. Throws one sentence where one cannot be built; the next start of a
 * service goes on from where it ended, also after a crash.
 */
export async function buildReadModels({ stores: { log, pool, workPool }, onProgress }: Building): Promise<void> {
  const head = await log.head()
  if (comparePositions(head, START) === 0) return
  const { progress, stop } = startProjectors({ log, pool: workPool })
  progress.onChange(() => {
    const positions = [...progress.all().values()].map(({ position }) => Number(position.commit))
    onProgress(Math.max(0, Math.min(...positions)), Number(head.commit))
  })
  try {
    while (!(await untilVisible(pool, head, { timeoutMs: FAILURE_CHECK_MS, progress }))) {
      const [name, failed] = [...progress.all()].find(([, { state }]) => state === 'failed') ?? []
      if (failed)
        throw new OperationFailed(
          `It is restored, but ${name} cannot be built (${failed.failure?.message}): see \`tidings projection list\`.`,
        )
    }
  } finally {
    await stop()
  }
}
