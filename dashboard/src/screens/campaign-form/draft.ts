import type { Campaign } from '../../api/calls.ts'

/** One row of the form. `weight`: as it was typed; it counts where there are several. */
export type DraftTemplate = Readonly<{ key: string; templateId: string; weight: string }>

/** What the form holds. Empty texts stand for what is not chosen. */
export type Draft = Readonly<{
  name: string
  channel: Campaign['channel']
  listId: string
  from: string
  quietHours: Campaign['quietHours']
  templates: readonly DraftTemplate[]
}>

const row = (key: number, templateId = '', weight = 1): DraftTemplate => ({ key: String(key), templateId, weight: String(weight) })

export const emptyDraft: Draft = { name: '', channel: 'email', listId: '', from: '', quietHours: 'wait', templates: [row(0)] }

/** The form of a campaign that is there. */
export function draftOf({ name, channel, listId, from, quietHours, variants, templateId }: Campaign): Draft {
  const templates =
    variants.length > 0 ? variants.map((variant, index) => row(index, variant.templateId, variant.weight)) : [row(0, templateId ?? '')]
  return { name, channel, listId: listId ?? '', from: from ?? '', quietHours, templates }
}

export function withTemplate(draft: Draft): Draft {
  const last = Math.max(-1, ...draft.templates.map(({ key }) => Number(key)))
  return { ...draft, templates: [...draft.templates, row(last + 1)] }
}

/** Another channel has other templates and senders; a list serves both. */
export function withChannel(draft: Draft, channel: Draft['channel']): Draft {
  return channel === draft.channel ? draft : { ...draft, channel, from: '', templates: [row(0)] }
}

export const MOST_VARIANTS = 100
const MOST_WEIGHT = 1_000_000

export function isWeight(text: string): boolean {
  return /^[1-9]\d{0,6}$/.test(text.trim()) && Number(text) <= MOST_WEIGHT
}

/** Why the form cannot be saved, by the part that is wrong; null where it can. A draft need not be complete. */
export function mistakeIn({ name, templates }: Draft): 'name' | 'template' | 'weight' | null {
  if (name.trim() === '') return 'name'
  if (templates.length < 2) return null
  if (templates.some(({ templateId }) => templateId === '')) return 'template'
  return templates.every(({ weight }) => isWeight(weight)) ? null : 'weight'
}

type KeptSettings = Pick<Campaign, 'tagIds' | 'archived'>
const nothingKept: KeptSettings = { tagIds: [], archived: false }

/** What the API takes: one template for everybody, or several that share the audience. `kept`: what the form does not show. */
export function settingsOf(draft: Draft, { tagIds, archived }: KeptSettings = nothingKept) {
  const { listId, from, quietHours, templates } = draft
  const isSplit = templates.length > 1
  return {
    listId: listId === '' ? null : listId,
    templateId: isSplit ? null : templates[0]?.templateId || null,
    variants: isSplit ? templates.map(({ templateId, weight }) => ({ templateId, weight: Number(weight) })) : [],
    from: from === '' ? null : from,
    quietHours,
    tagIds,
    archived,
  }
}
