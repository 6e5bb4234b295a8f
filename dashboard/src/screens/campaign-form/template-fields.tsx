import { Button, NativeSelect, TextInput } from '@mantine/core'
import { shownOptions, useTemplates } from '../../ui/choices.ts'
import { useWords } from '../../words/words.tsx'
import styles from './campaign-form.module.css'
import { type Draft, type DraftTemplate, isWeight, MOST_VARIANTS, withTemplate } from './draft.ts'

type Props = Readonly<{ draft: Draft; onChange: (draft: Draft) => void; showsMistakes: boolean }>

/** One template for everybody, or several that share the audience by their weights. */
export function TemplateFields({ draft, onChange, showsMistakes }: Props) {
  const { campaign: words } = useWords()
  const { data = [] } = useTemplates()
  const options = data.filter(({ channel }) => channel === draft.channel).map(({ value, label }) => ({ value, label }))
  const isSplit = draft.templates.length > 1
  const total = draft.templates.reduce((sum, { weight }) => sum + (isWeight(weight) ? Number(weight) : 0), 0)
  const change = (key: string, to: Partial<DraftTemplate>): void =>
    onChange({ ...draft, templates: draft.templates.map((row) => (row.key === key ? { ...row, ...to } : row)) })
  const remove = (key: string): void => onChange({ ...draft, templates: draft.templates.filter((row) => row.key !== key) })
  return (
    <div className={styles.variants}>
      {draft.templates.map((row, index) => (
        <div key={row.key} className={styles.variant}>
          <NativeSelect
            label={isSplit ? words.templateNumber(index + 1) : words.template}
            value={row.templateId}
            data={[{ value: '', label: words.none }, ...shownOptions(options, row.templateId)]}
            error={showsMistakes && isSplit && row.templateId === '' && words.templateNeeded}
            onChange={(event) => change(row.key, { templateId: event.currentTarget.value })}
          />
          {isSplit && (
            <>
              <TextInput
                label={words.weight(index + 1)}
                inputMode="numeric"
                w={120}
                maxLength={7}
                value={row.weight}
                error={showsMistakes && !isWeight(row.weight) && words.weightNeeded}
                onChange={(event) => change(row.key, { weight: event.currentTarget.value })}
              />
              <span>{isWeight(row.weight) && total > 0 && words.share(Number(row.weight) / total)}</span>
              <Button variant="default" size="compact-sm" onClick={() => remove(row.key)} aria-label={words.removeVariant(index + 1)}>
                {words.remove}
              </Button>
            </>
          )}
        </div>
      ))}
      <Button
        variant="default"
        size="compact-sm"
        disabled={draft.templates.length >= MOST_VARIANTS}
        onClick={() => onChange(withTemplate(draft))}
      >
        {words.addVariant}
      </Button>
    </div>
  )
}
