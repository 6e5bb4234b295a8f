import { OperationFailed } from '@tidings/config'
import { comparePositions, START } from '@tidings/event-store'
import { startProjectors } from '@tidings/projectors'
import type { Stores } from '../stores/stores.ts'
import { untilVisible } from './until-visible.ts'

/** How long nobody looks whether a projection has given up. */
const LOOK_MS = 5_000

type Building = Readonly<{ stores: Stores; onProgress: (done: number, total: number) => void }>

/**
 * Folds the log into the read models, so that whoever is started next serves what is in it and not a half of it. Throws one sentence
 * where one cannot be built; a start tries again, and so it goes on after a crash.
 */
export const buildReadModels = async ({ stores: { log, pool, workPool }, onProgress }: Building): Promise<void> => {
  const head = await log.head()
  if (comparePositions(head, START) === 0) return
  const { progress, stop } = startProjectors({ log, pool: workPool })
  progress.onChange(() => {
    const positions = [...progress.all().values()].map(({ position }) => Number(position.commit))
    onProgress(Math.max(0, Math.min(...positions)), Number(head.commit))
  })
  try {
    while (!(await untilVisible(pool, head, { timeoutMs: LOOK_MS, progress }))) {
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
