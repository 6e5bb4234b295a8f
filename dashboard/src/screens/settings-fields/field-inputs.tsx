import { Button, Fieldset, NativeSelect, TextInput } from '@mantine/core'
import { CUSTOM_FIELD_KINDS, type CustomFieldKind, MAX_FIELD_OPTIONS, takesOptions } from '@tidings/domain'
import { useWords } from '../../words/words.tsx'
import type { Draft } from './draft.ts'
import styles from './fields.module.css'

type Props = Readonly<{ draft: Draft; onChange: (next: Draft) => void }>

const kindIn = (text: string): CustomFieldKind => CUSTOM_FIELD_KINDS.find((kind) => kind === text) ?? 'text'

/** What a field is called, what it holds, and what it offers. */
export function FieldInputs({ draft, onChange }: Props) {
  const { fields: words } = useWords()
  return (
    <>
      <TextInput
        label={words.label}
        description={words.labelHelp}
        dir="auto"
        required
        maxLength={255}
        value={draft.label}
        onChange={(event) => onChange({ ...draft, label: event.currentTarget.value })}
      />
      <NativeSelect
        label={words.kind}
        description={words.kindHelp}
        value={draft.kind}
        data={CUSTOM_FIELD_KINDS.map((value) => ({ value, label: words.kinds[value] }))}
        onChange={(event) => onChange({ ...draft, kind: kindIn(event.currentTarget.value) })}
      />
      {takesOptions(draft.kind) && <Options draft={draft} onChange={onChange} />}
    </>
  )
}

function Options({ draft, onChange }: Props) {
  const { fields: words } = useWords()
  const { options } = draft
  const setOption = (at: number, part: Partial<Draft['options'][number]>): void =>
    onChange({ ...draft, options: options.map((option, index) => (index === at ? { ...option, ...part } : option)) })
  return (
    <Fieldset legend={words.options} className={styles.form ?? ''}>
      {options.map((option, index) => (
        <div key={index} className={styles.option}>
          <TextInput
            aria-label={words.value(index + 1)}
            placeholder={words.value(index + 1)}
            dir="auto"
            maxLength={255}
            value={option.value}
            onChange={(event) => setOption(index, { value: event.currentTarget.value })}
          />
          <TextInput
            aria-label={words.labelOf(index + 1)}
            placeholder={words.label}
            dir="auto"
            maxLength={255}
            value={option.label}
            onChange={(event) => setOption(index, { label: event.currentTarget.value })}
          />
          <Button
            variant="default"
            size="compact-sm"
            aria-label={words.removeValue(index + 1)}
            onClick={() => onChange({ ...draft, options: options.filter((_, other) => other !== index) })}
          >
            {words.remove}
          </Button>
        </div>
      ))}
      {options.length < MAX_FIELD_OPTIONS && (
        <Button variant="default" size="compact-sm" onClick={() => onChange({ ...draft, options: [...options, { label: '', value: '' }] })}>
          {words.addValue}
        </Button>
      )}
    </Fieldset>
  )
}
