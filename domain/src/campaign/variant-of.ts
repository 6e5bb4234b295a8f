import type { CampaignVariant } from './campaign.events.ts'

/** FNV-1a with the final mix of MurmurHash3: one bit more or less of the text changes half of the result's. */
const hashOf = (text: string): number => {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** The variant that a contact gets, counted from 0: always the same one, and each in proportion to its weight (M37). */
export function variantOf(campaignId: string, contactId: string, variants: readonly CampaignVariant[]): number {
  const total = variants.reduce((sum, { weight }) => sum + weight, 0)
  let left = (hashOf(`${campaignId}:${contactId}`) / 2 ** 32) * total
  for (const [index, { weight }] of variants.entries()) {
    left -= weight
    if (left < 0) return index
  }
  return Math.max(0, variants.length - 1)
}
