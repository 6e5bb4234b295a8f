import { useDirection } from '@mantine/core'
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react'
import { kept } from '../kept.ts'
import { en, type Words } from './en.ts'
import { type Language, languageFor } from './language.ts'

const PLACE = 'tidings-language'

/** English is in the first page, every other language comes when it is spoken. */
const wordsOf = async (language: Language): Promise<Words> => (language === 'en' ? en : (await import('./he.ts')).he)

type SpokenWords = Readonly<{ language: Language; words: Words }>
type Spoken = SpokenWords & Readonly<{ choose: (language: Language) => void }>

const Context = createContext<Spoken>({ language: 'en', words: en, choose: () => undefined })

/** The language that was chosen here, else that of the browser; its direction is that of the page. */
export function WordsProvider({ children }: Readonly<{ children: ReactNode }>) {
  const [wanted, setWanted] = useState<Language>(() => languageFor(kept.read(PLACE), navigator.languages))
  const [known, setKnown] = useState<SpokenWords | null>(wanted === 'en' ? { language: 'en', words: en } : null)
  const { setDirection } = useDirection()
  useEffect(() => {
    let isOver = false
    const speak = (next: SpokenWords): void => {
      if (isOver) return
      document.documentElement.lang = next.language
      setDirection(next.words.direction)
      setKnown(next)
    }
    // Where the words cannot be had, what is spoken stays.
    wordsOf(wanted).then(
      (words) => speak({ language: wanted, words }),
      () => setKnown((before) => before ?? { language: 'en', words: en }),
    )
    return () => {
      isOver = true
    }
  }, [wanted, setDirection])
  const spoken = useMemo(
    () =>
      known && {
        ...known,
        choose: (next: Language) => {
          kept.write(PLACE, next)
          setWanted(next)
        },
      },
    [known],
  )
  return spoken && <Context.Provider value={spoken}>{children}</Context.Provider>
}

export function useSpoken(): Spoken {
  return useContext(Context)
}

export function useWords(): Words {
  return useContext(Context).words
}
