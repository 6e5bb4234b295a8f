import type { CampaignFigures } from '../../api/calls.ts'

type Variant = Pick<CampaignFigures['variants'][number], 'sent' | 'opened' | 'clicked'>

/** `surely`: by chance alone so large a difference comes in fewer than one of twenty campaigns. */
export type Leader = Readonly<{ index: number; by: 'clicked' | 'opened'; surely: boolean }>

/** Beyond so many deviations, on both sides together, lies one part in twenty of a normal distribution. */
const ONE_IN_TWENTY = 1.96

const rateOf = (variant: Variant, by: Leader['by']): number => (variant.sent === 0 ? 0 : variant[by] / variant.sent)

/** The wording that did best: by clicks, or by opens where no person clicked. Null for one wording, for none that was sent, and where the best are equal. */
export function leaderOf(variants: readonly Variant[]): Leader | null {
  const by = variants.some(({ clicked }) => clicked > 0) ? 'clicked' : 'opened'
  const [best, second] = variants
    .map((variant, index) => ({ variant, index }))
    .sort((a, b) => rateOf(b.variant, by) - rateOf(a.variant, by))
  if (best === undefined || second === undefined) return null
  const difference = rateOf(best.variant, by) - rateOf(second.variant, by)
  if (difference === 0) return null
  return { index: best.index, by, surely: distance(best.variant, second.variant, by) >= ONE_IN_TWENTY }
}

/** How many standard deviations lie between two rates, if both were the same wording. */
function distance(one: Variant, other: Variant, by: Leader['by']): number {
  if (one.sent === 0 || other.sent === 0) return 0
  const together = (one[by] + other[by]) / (one.sent + other.sent)
  const deviation = Math.sqrt(together * (1 - together) * (1 / one.sent + 1 / other.sent))
  return deviation === 0 ? 0 : (rateOf(one, by) - rateOf(other, by)) / deviation
}
