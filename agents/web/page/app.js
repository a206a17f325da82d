// The page: what the server says to where it is shown, what the person does to the server.

import { find, show, write } from "./element.js";
import { help } from "./help.js";
import { Kitchen } from "./kitchen.js";
import { Menu } from "./menu.js";
import { Narrator } from "./narrator.js";
import { Pad } from "./pad.js";
import * as phrase from "./phrase.js";
import { Result } from "./result.js";
import { Seats, swatch } from "./seats.js";
import { Socket } from "./socket.js";
import { Stage } from "./stage.js";
import { Status } from "./status.js";
import { Text } from "./text.js";
import { World } from "./world.js";

const PROTOCOL = 1;
const HEARD = ["welcome", "started", "state", "offer", "ended", "refused", "over"];
const NOTICE = 5000; // milliseconds that a refusal stands

class Page {
  constructor() {
    const token = location.pathname.split("/").at(-1);
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    this.socket = new Socket(`${scheme}//${location.host}/ws/${token}?protocol=${PROTOCOL}`, {
      message: (message) => HEARD.includes(message.type) && this[message.type](message),
      lost: (pause) => this.#lost(`Connection lost. Trying again in ${pause} s.`),
      closed: (reason) => this.#lost(phrase.sentence(reason)),
    });
    this.narrator = new Narrator(find("live"));
    this.stage = new Stage(find("board"), find("stage"), {
      cell: (x, y) => this.menu?.cell(x, y),
      zoomable: (may) => show(find("zoom"), may),
    });
    this.#listen();
    write(find("notice"), "Connecting.");
    this.socket.open();
  }

  welcome(welcome) {
    if (welcome.protocol !== PROTOCOL) return this.#say("This page is older than its server. Load it again.");
    this.told = welcome;
    this.latest = null;
    this.seat = welcome.role === "seat" ? welcome.seat : null;
    this.#say("");
    write(find("game"), welcome.game);
    document.body.dataset.interface = welcome.interface;
    this.#introduce();
    this.drawing = this.#drawing(welcome.map);
    show(find("frame"), welcome.map.kind !== "text");
    show(find("picture"), welcome.map.kind === "text");
    show(find("room"), true);
    if (welcome.map.kind !== "text") this.stage.open(this.drawing);
    this.status = new Status(welcome);
    this.seats = new Seats(find("seats"), find("places-title"), welcome, welcome.role === "host" ? this.#swap : null);
    this.result = new Result(find("result"), welcome.role !== "watcher");
    this.menu = this.#menu();
    show(find("play"), this.seat !== null);
    help(find("help-lines"), welcome);
  }

  state(state) {
    const before = this.latest;
    this.latest = state;
    this.status.show(state);
    this.seats.show(state);
    this.#phase(state, before);
    if (state.scene) this.#scene(state.scene, before?.scene);
    if (before && state.total !== before.total) this.narrator.tell({ score: `Score ${phrase.points(state.total)}.` });
  }

  offer(offer) {
    this.open = offer;
    this.menu?.show(offer);
    if (this.told.interface === "menu") this.narrator.tell({ menu: `Your menu has ${offer.menu.length} ${offer.menu.length === 1 ? "entry" : "entries"}.` });
  }

  ended({ decision, how }) {
    if (this.open?.decision !== decision) return;
    this.open = null;
    if (how === "lapsed") this.menu?.close("The offer is over. The next one comes by itself.");
  }

  refused({ problem }) {
    this.#say(`Refused: ${phrase.sentence(problem)}`, NOTICE);
    if (this.open) this.menu?.reopen(this.open);
  }

  over(over) {
    this.outcome = over;
    this.#finish(over);
  }

  started() {
    this.outcome = null;
    this.result.hide();
    this.menu?.clear();
    this.drawing.longest?.clear();
    show(find("play"), this.seat !== null);
  }

  #drawing(map) {
    if (map.kind === "kitchen") return new Kitchen(map, this.seat);
    if (map.kind === "world") return new World(map, this.seat);
    return new Text(find("picture"));
  }

  #menu() {
    if (this.seat === null) return null;
    const made = this.told.interface === "native" ? Pad : Menu;
    this.menu?.clear();
    if (this.menu instanceof made) return this.menu;
    return new made(find("menu"), find("doing"), {
      choose: ({ decision }, index) => this.socket.send({ type: "choose", decision, index }),
      point: (what) => this.stage.point(what),
    });
  }

  #introduce() {
    const { role } = this.told;
    const [own, who] = role === "seat" ? [[swatch(this.seat), " "], `You are seat ${this.seat}`] : [[], role === "host" ? "You are the host" : "You are watching"];
    find("role").replaceChildren(...own, who);
    document.title = `${role === "seat" ? `Seat ${this.seat}` : who}, ${this.told.game} - hocket`;
  }

  #scene(scene, before) {
    write(find("situation"), this.drawing.tell(scene).join(" "));
    if (this.drawing instanceof Text) return this.drawing.show(scene);
    this.stage.show(scene, this.told.hz);
    if (before) this.narrator.tell(this.drawing.news(before, scene));
  }

  #phase(state, before) {
    const { phase } = state;
    const words = this.status.words(state);
    const may = this.told.role !== "watcher";
    show(find("pause"), may && (phase === "playing" || phase === "paused"));
    write(find("pause"), phase === "paused" ? "Resume" : "Pause");
    const out = phase === "playing" && this.drawing instanceof World && this.drawing.out(state.scene);
    show(find("veil"), out || phase === "waiting" || phase === "paused");
    write(find("veil"), out ? "You are out of the game for a while" : words);
    document.body.dataset.phase = phase;
    if (before && words !== this.status.words(before)) this.narrator.tell({ phase: phrase.sentence(words) });
    if (phase === "over") this.#finish(this.outcome ?? { ...state, trace: "" });
    else this.result.hide();
    show(find("play"), this.seat !== null && phase !== "over");
  }

  #finish(outcome) {
    const within = find("play").contains(document.activeElement);
    this.open = null;
    this.result.show(outcome);
    this.menu?.clear();
    this.stage.point({ aim: null, goal: null, letters: new Map() });
    show(find("play"), false);
    if (within) find("result-title").focus();
  }

  #lost(text) {
    this.open = null;
    this.menu?.close("");
    this.#say(text);
  }

  #say(text, lasts = 0) {
    clearTimeout(this.hush);
    write(find("notice"), text);
    if (lasts) this.hush = setTimeout(() => write(find("notice"), ""), lasts);
  }

  #swap = (seat, agent) => {
    const sent = this.socket.send({ type: "swap", seat, agent });
    if (sent) this.#say(`Asked for ${agent} in seat ${seat}.`, NOTICE);
    return sent;
  };

  #listen() {
    find("pause").addEventListener("click", (event) => {
      this.socket.send({ type: "pause", paused: this.latest.phase !== "paused" });
      // With primitive actions Space interacts; it must not press what a mouse has left focused.
      if (event.detail) event.currentTarget.blur();
    });
    find("again").addEventListener("click", () => this.socket.send({ type: "again" }));
    find("zoom").addEventListener("click", ({ currentTarget: button }) => {
      const whole = button.getAttribute("aria-pressed") !== "true";
      button.setAttribute("aria-pressed", String(whole));
      this.stage.setWhole(whole);
    });
    document.addEventListener("keydown", (event) => {
      const typing = event.target.closest("input, textarea, select");
      if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
      if (this.menu?.key(event)) event.preventDefault();
    });
    document.addEventListener("keyup", (event) => this.menu?.release(event));
  }
}

new Page();
