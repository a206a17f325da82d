// What changes for this player, told to those who listen, once in two seconds at most.

const PAUSE = 2000;
const MOST = 3;

export class Narrator {
  constructor(region) {
    this.region = region;
    this.waiting = new Map();
    this.timer = 0;
  }

  // Sentences by topic: what is not yet said of a topic gives way to what is new.
  tell(news) {
    for (const [topic, sentence] of Object.entries(news)) {
      this.waiting.delete(topic);
      this.waiting.set(topic, sentence);
    }
    if (!this.timer) this.#say();
  }

  #say() {
    this.timer = 0;
    if (!this.waiting.size) return;
    this.region.textContent = [...this.waiting.values()].slice(-MOST).join(" ");
    this.waiting.clear();
    this.timer = setTimeout(() => this.#say(), PAUSE);
  }
}
