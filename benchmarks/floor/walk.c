/* The floor of decoding: a walk over trusted Jelly-Patch that makes the content of a batch without
   any checks.

   It reads each row, copies each distinct term of a frame once into a table, finds equal terms by
   a hash, and writes the four numbers of each statement. It has no limits and no errors, assumes
   that each varint has 32 bits, and keeps pointers to lookup entries instead of their texts.
   No reader that refuses bad input can be faster, except by measurement noise. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES, PREFIXES, DATATYPES, LOOKUPS };
enum { IRI = 1, LABEL, SIMPLE, TAGGED, TYPED, QUOTED, DEFAULT, STRING };

typedef struct { const uint8_t *at; uint32_t size; } Text;
typedef struct { uint64_t key; uint32_t term; } Use;
typedef struct {
    uint32_t count, capacity, mask, *slots, *offsets, *extras;
    uint64_t *hashes;
    uint8_t *kinds, *data;
    size_t room;
} Terms;
typedef struct {
    Text *entries[LOOKUPS];
    uint32_t last_set[LOOKUPS], name, prefix, last[4];
    Use *names, *datatypes;
    uint64_t epoch;
    Terms terms;
} Walk;

static inline uint32_t number(const uint8_t **at) {
    uint32_t value = 0, byte, shift = 0;
    do { byte = *(*at)++; value |= (byte & 0x7F) << shift; shift += 7; } while (byte & 0x80);
    return value;
}

static inline uint64_t mix(uint64_t a, uint64_t b) {
    unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* At least 16 readable bytes follow each text. */
static uint64_t hash(const uint8_t *at, uint32_t size) {
    uint64_t seed = size ^ 0x9E3779B97F4A7C15ULL, a, b;
    for (; size > 16; at += 16, size -= 16) {
        memcpy(&a, at, 8); memcpy(&b, at + 8, 8);
        seed = mix(a ^ seed, b ^ 0xE7037ED1A0B428DBULL);
    }
    memcpy(&a, at, 8); memcpy(&b, at + 8, 8);
    if (size < 16) b &= size > 8 ? ~0ULL >> (128 - 8 * size) : 0;
    if (size < 8) a &= size ? ~0ULL >> (64 - 8 * size) : 0;
    return mix(a ^ seed, b ^ 0xE7037ED1A0B428DBULL);
}

static void grow(Terms *t, uint32_t size) {
    if (t->count + 1 >= t->capacity) {
        t->capacity *= 2;
        t->offsets = realloc(t->offsets, 4 * (t->capacity + 1));
        t->extras = realloc(t->extras, 4 * t->capacity);
        t->hashes = realloc(t->hashes, 8 * t->capacity);
        t->kinds = realloc(t->kinds, t->capacity);
        free(t->slots);
        t->mask = 4 * t->capacity - 1;
        t->slots = calloc(t->mask + 1, 4);
        for (uint32_t i = 1; i < t->count; i++) {
            uint32_t slot = t->hashes[i] & t->mask;
            while (t->slots[slot]) slot = (slot + 1) & t->mask;
            t->slots[slot] = i;
        }
    }
    if (t->offsets[t->count] + size + 64 > t->room)
        t->data = realloc(t->data, t->room = 2 * (t->offsets[t->count] + size + 64));
}

/* Find or add the term whose text follows the last one. */
static uint32_t intern_tail(Terms *t, int kind, uint32_t size, uint32_t extra) {
    const uint8_t *text = t->data + t->offsets[t->count];
    uint64_t h = mix(hash(text, size) + kind, t->hashes[extra] ^ 0x9E3779B97F4A7C15ULL);
    uint32_t slot = h & t->mask, i;
    for (; (i = t->slots[slot]); slot = (slot + 1) & t->mask)
        if (t->hashes[i] == h && t->kinds[i] == kind && t->extras[i] == extra
            && t->offsets[i + 1] - t->offsets[i] == size
            && !memcmp(t->data + t->offsets[i], text, size)) return i;
    t->slots[slot] = i = t->count++;
    t->hashes[i] = h; t->kinds[i] = kind; t->extras[i] = extra;
    t->offsets[i + 1] = t->offsets[i] + size;
    return i;
}

static uint32_t intern(Terms *t, int kind, const uint8_t *at, uint32_t size, uint32_t extra) {
    grow(t, size);
    memcpy(t->data + t->offsets[t->count], at, size);
    return intern_tail(t, kind, size, extra);
}

static uint32_t iri(Walk *w, const uint8_t *at, const uint8_t *end) {
    uint32_t name_id = 0;
    while (at < end) {
        if (*at++ == 0x08) w->prefix = number(&at); else name_id = number(&at);
    }
    w->name = name_id ? name_id : w->name + 1;
    Use *use = &w->names[w->name];
    uint64_t key = w->epoch << 32 | w->prefix;
    if (use->key != key) {
        Text name = w->entries[NAMES][w->name], prefix = w->entries[PREFIXES][w->prefix];
        grow(&w->terms, name.size + prefix.size);
        uint8_t *text = w->terms.data + w->terms.offsets[w->terms.count];
        memcpy(text, prefix.at, prefix.size);
        memcpy(text + prefix.size, name.at, name.size);
        use->term = intern_tail(&w->terms, IRI, prefix.size + name.size, 0);
        use->key = key;
    }
    return use->term;
}

static uint32_t literal(Walk *w, const uint8_t *at, const uint8_t *end) {
    const uint8_t *text = at;
    uint32_t size = 0, extra = 0, length;
    int kind = SIMPLE;
    while (at < end) {
        uint8_t tag = *at++;
        length = number(&at);
        if (tag == 0x0A) { text = at; size = length; at += length; }
        else if (tag == 0x12) {
            extra = intern(&w->terms, STRING, at, length, 0); kind = TAGGED; at += length;
        } else {
            Use *use = &w->datatypes[length];
            if (use->key != w->epoch) {
                Text type = w->entries[DATATYPES][length];
                use->term = intern(&w->terms, IRI, type.at, type.size, 0);
                use->key = w->epoch;
            }
            extra = use->term; kind = TYPED;
        }
    }
    return intern(&w->terms, kind, text, size, extra);
}

static void statement(Walk *w, const uint8_t *at, const uint8_t *end) {
    while (at < end) {
        uint32_t field = *at++ >> 3, size;
        if (field > 15) field = (field & 15) | *at++ << 4;
        size = number(&at);
        uint32_t place = (field - 1) / 4, kind = (field - 1) % 4;
        w->last[place] = kind == 0 ? iri(w, at, at + size)
            : kind == 1 ? intern(&w->terms, LABEL, at, size, 0)
            : place == 3 ? intern(&w->terms, DEFAULT, at, 0, 0) : literal(w, at, at + size);
        at += size;
    }
}

/* Walk over delimited frames; return the statement count. No quoted triples, headers or prefixes. */
uint64_t walk(const uint8_t *at, size_t size, uint32_t names, uint32_t prefixes, uint32_t datatypes) {
    const uint8_t *end = at + size;
    uint32_t sizes[LOOKUPS] = {names, prefixes, datatypes};
    uint32_t capacity = 64, rows_hint = 64;
    size_t room = 4096;
    uint64_t statements = 0;
    Walk w;
    memset(&w, 0, sizeof w);
    for (int i = 0; i < LOOKUPS; i++) w.entries[i] = calloc(sizes[i] + 1, sizeof(Text));
    w.entries[PREFIXES][0].at = at;
    w.names = calloc(names + 1, sizeof(Use));
    w.datatypes = calloc(datatypes + 1, sizeof(Use));
    while (at < end) {
        uint32_t frame_size = number(&at), rows = 0;
        const uint8_t *frame_end = at + frame_size;
        Terms *t = &w.terms, before = w.terms;
        uint32_t last[4];
        memset(t, 0, sizeof *t);
        t->count = 1; t->capacity = capacity; t->room = room; t->mask = 4 * capacity - 1;
        t->slots = calloc(t->mask + 1, 4);
        t->offsets = malloc(4 * (capacity + 1)); t->extras = malloc(4 * capacity);
        t->hashes = malloc(8 * capacity); t->kinds = malloc(capacity); t->data = malloc(room);
        t->offsets[0] = t->offsets[1] = t->extras[0] = 0; t->hashes[0] = 0; t->kinds[0] = 0;
        w.epoch++;
        /* The last terms carry over from frame to frame. */
        memcpy(last, w.last, sizeof last);
        for (int i = 0; i < 4; i++) {
            uint32_t term = last[i];
            if (!term) continue;
            uint32_t extra = before.extras[term];
            if (extra) extra = intern(t, before.kinds[extra], before.data + before.offsets[extra],
                before.offsets[extra + 1] - before.offsets[extra], 0);
            w.last[i] = intern(t, before.kinds[term], before.data + before.offsets[term],
                before.offsets[term + 1] - before.offsets[term], extra);
        }
        free(before.slots); free(before.offsets); free(before.extras); free(before.hashes);
        free(before.kinds); free(before.data);
        uint32_t limit = rows_hint, *out = malloc(17 * (size_t)limit);
        while (at < frame_end) {
            at++;
            uint32_t row_size = number(&at);
            const uint8_t *row_end = at + row_size;
            uint32_t field = *at++ >> 3;
            uint32_t length = number(&at);
            if (field == 2 || field == 3 || (field >= 6 && field <= 8) || field == 15) {
                if (rows == limit) out = realloc(out, 17 * (size_t)(limit *= 2));
                if (field <= 3) { statement(&w, at, row_end); statements++; }
                memcpy(out + 4 * rows, w.last, 16);
                ((uint8_t *)(out + 4 * (size_t)limit))[rows++] = field;
            } else if (field >= 11 && field <= 13) {
                int lookup = field - 11;
                uint32_t id = w.last_set[lookup] + 1;
                while (at < row_end) {
                    if (*at++ == 0x08) { id = number(&at); continue; }
                    length = number(&at);
                    w.entries[lookup][id] = (Text){at, length};
                    at += length;
                }
                w.last_set[lookup] = id;
                if (lookup == PREFIXES) w.epoch++;
                else if (lookup == NAMES) w.names[id].key = 0;
                else w.datatypes[id].key = 0;
            }
            at = row_end;
        }
        free(out);
        capacity = t->count + t->count / 4 + 8;
        while (capacity & (capacity - 1)) capacity += capacity & -capacity;
        room = t->offsets[t->count] * 5 / 4 + 128;
        rows_hint = rows + 8;
    }
    for (int i = 0; i < LOOKUPS; i++) free(w.entries[i]);
    free(w.names); free(w.datatypes);
    free(w.terms.slots); free(w.terms.offsets); free(w.terms.extras); free(w.terms.hashes);
    free(w.terms.kinds); free(w.terms.data);
    return statements;
}
