import type { WorkspaceFile } from './schema.ts'

/** A campaign with variants whose templates contradict each other (D17). */
export function* wrongCampaigns({ campaigns = [] }: WorkspaceFile): Iterable<string> {
  for (const [i, { template, variants = 1 }] of campaigns.entries()) {
    if (typeof variants === 'number') continue
    if (template !== undefined) yield `campaigns[${i}].template is not a field of a campaign with a list of variants: each has its own`
    const names = variants.map((variant) => variant.template)
    const again = names.findIndex((name, n) => names.indexOf(name) < n)
    if (again >= 0) yield `campaigns[${i}].variants[${again}] repeats "${names[again]}"`
  }
}
