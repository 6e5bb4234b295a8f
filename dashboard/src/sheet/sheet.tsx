import { Button, Group } from '@mantine/core'
import { useState } from 'react'
import { useSpoken } from '../words/words.tsx'
import { DIALOGS, type DialogName } from './dialogs.tsx'
import { FIELDS } from './fields.tsx'
import { RECORDS } from './records.tsx'
import styles from './sheet.module.css'
import { SIGNS } from './signs.tsx'
import { TABLES } from './tables.tsx'

const SAMPLES = { ...SIGNS, ...TABLES, ...FIELDS, ...RECORDS }

/** Every part in its states, by the name of its file; dialogs behind a button each. */
export function Sheet() {
  const { language, choose } = useSpoken()
  const [open, setOpen] = useState<DialogName | null>(null)
  const Dialog = open && DIALOGS[open]
  return (
    <main className={styles.sheet}>
      <h1>src/ui</h1>
      <Group gap="xs">
        {(Object.keys(DIALOGS) as DialogName[]).map((name) => (
          <Button key={name} variant="default" size="compact-sm" onClick={() => setOpen(name)}>
            {name}
          </Button>
        ))}
        <Button size="compact-sm" onClick={() => choose(language === 'en' ? 'he' : 'en')}>
          {language === 'en' ? 'עברית' : 'English'}
        </Button>
      </Group>
      <div className={styles.samples}>
        {Object.entries(SAMPLES).map(([name, Sample]) => (
          <article key={name} className={styles.sample}>
            <h2 dir="ltr">{name}</h2>
            <Sample />
          </article>
        ))}
      </div>
      {Dialog && <Dialog onClose={() => setOpen(null)} />}
    </main>
  )
}
