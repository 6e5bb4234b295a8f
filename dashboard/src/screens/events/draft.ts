import type { ShownCustomEvent } from '../../api/calls.ts'

/** A declaration as its form has it: a property a line. */
export type Draft = Readonly<{ label: string; lines: string; retired: boolean }>

export const NEW_EVENT: Draft = { label: '', lines: '', retired: false }

export function draftOf({ label, propertyNames, retired }: Pick<ShownCustomEvent, 'label' | 'propertyNames' | 'retired'>): Draft {
  return { label, lines: propertyNames.join('\n'), retired }
}

export function bodyOf({ label, lines, retired }: Draft) {
  const propertyNames = lines
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  return { label, propertyNames, retired }
}
