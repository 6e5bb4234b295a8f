import { positionText } from '@tidings/event-store'
import { swapBack, swapNext } from '@tidings/projections'
import { knownProjection, sayingRefusals } from '../operator/known-projection.ts'
import { withOperator } from '../operator/with-operator.ts'
import { startProgress } from '../terminal/progress.ts'

/** `tidings projection swap NAME [--back]`: returns when the other tables serve. */
export function swap(name: string, { json, back }: Readonly<{ json: boolean; back: boolean }>): Promise<void> {
  const projection = knownProjection(name)
  return withOperator(json, async ({ stores }) => {
    const progress = await startProgress(`Bringing ${name} up to date`)
    const { position, version, parked } = await sayingRefusals(
      (back ? swapBack : swapNext)({
        projection,
        log: stores.log,
        pool: stores.workPool,
        onProgress: ({ position: at, head }) => progress.update(Number(at.commit), Number(head.commit)),
      }),
    ).finally(progress.stop)
    return {
      json: { name, version, position: positionText(position), parked },
      lines: [
        `The ${back ? 'previous' : 'new'} tables of ${name} serve. For a day, \`tidings projection swap ${name} --back\` exchanges them again.`,
      ],
    }
  })
}
