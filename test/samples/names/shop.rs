//! Allocates in places whose names only Rust has: closures, generics, methods of traits.

struct Shop {
    name: String,
}

trait Stock {
    fn fill(&self, count: usize) -> Vec<u8>;
}

impl Stock for Shop {
    #[inline(never)]
    fn fill(&self, count: usize) -> Vec<u8> {
        let mut goods = Vec::with_capacity(1000 * count);
        goods.push(self.name.len() as u8);
        goods
    }
}

#[inline(never)]
fn boxed<T>(value: T) -> Box<T> {
    Box::new(value)
}

#[inline(never)]
fn by_closure(count: usize) -> usize {
    let make = |each: usize| vec![1u8; 3000 + each];
    (0..count).map(|each| make(each).len()).sum()
}

fn main() {
    let shop = Shop { name: String::from("corner") };
    let goods = shop.fill(7);
    let value = boxed([1u64; 1250]);
    println!("{} {} {}", goods.capacity(), value.len(), by_closure(1));
}
