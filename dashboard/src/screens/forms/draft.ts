import type { ShownForm } from '../../api/calls.ts'

/** What a form leads to, as its fields have it. */
export type Draft = Readonly<{ listId: string; asks: boolean; templateId: string; from: string; archived: boolean }>

export const NEW_FORM: Draft = { listId: '', asks: false, templateId: '', from: '', archived: false }

export function draftOf({ list, confirmation, archived }: Pick<ShownForm, 'list' | 'confirmation' | 'archived'>): Draft {
  return {
    ...{ listId: list.id, archived, asks: confirmation !== null },
    ...{ templateId: confirmation?.template.id ?? '', from: confirmation?.from ?? '' },
  }
}

export function isComplete({ listId, asks, templateId, from }: Draft): boolean {
  return listId !== '' && (!asks || (templateId !== '' && from !== ''))
}

export function bodyOf({ listId, asks, templateId, from }: Draft) {
  return { listId, confirmation: asks ? { templateId, from } : null }
}

/** Origins as a text has them, a line each. */
export function originsIn(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

type Snippet = Readonly<{ script: string; slug: string; formId: string; key: string | null }>

const attribute = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')

/** The tag that shows the form in a page. A key is in one answer alone: without it the place says what belongs there. */
export function snippetOf({ script, slug, formId, key }: Snippet): string {
  return `<script async src="${attribute(script)}"
  data-tenant="${attribute(slug)}" data-key="${attribute(key ?? 'pk_evt_…')}" data-form-id="${attribute(formId)}"></script>`
}
